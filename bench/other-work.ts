// The share of the machine that other work takes. Between two rows the bench and its programs rest, so that what the CPUs do then is
// other work.

import { cpus } from 'node:os';

const LOOK_MS = 500;
/** What a machine called quiet does at most beside the bench: a share of its CPUs. */
const QUIET = 0.1;

/** The share of all CPUs, 0 to 1, that is in use for half a second from now. */
export async function otherWork(): Promise<number> {
  const before = times();
  await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  const after = times();
  return (after.busy - before.busy) / Math.max(after.all - before.all, 1);
}

function times(): { readonly busy: number; readonly all: number } {
  let busy = 0;
  let all = 0;
  for (const { times: each } of cpus()) {
    busy += each.user + each.nice + each.sys + each.irq;
    all += each.user + each.nice + each.sys + each.irq + each.idle;
  }
  return { busy, all };
}

/** A share as a row's title has it. */
export function otherWorkText(share: number): string {
  return `other work ${percent(share)}`;
}

/** Says in a sentence how quiet the machine was, from the titles of all rows. */
export function quietText(titles: readonly string[]): string {
  const shares = titles.map((title) => Number(/other work (\d+)%/.exec(title)?.[1] ?? Number.NaN) / 100);
  const most = Math.max(...shares);
  if (Number.isNaN(most)) return 'it is not known of all rows whether the machine was quiet';
  const loud = shares.filter((share) => share > QUIET).length;
  if (loud === 0) return `the machine was quiet: other work took at most ${percent(most)} of its CPUs`;
  return `the machine was not quiet: before ${loud} of ${shares.length} rows other work took more than ${percent(QUIET)} of its CPUs, at most ${percent(most)}`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}
