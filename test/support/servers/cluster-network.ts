// A network of their own for the servers of a cluster, where the connection between any two of them can be cut, and mended: each
// has a network namespace, on one bridge with all others and with the tests. Takes Linux, `ip` and the rights of root.

import { execFileSync } from 'node:child_process';

/** Where a server of a cluster is. */
export interface Place {
  readonly host: string;
  /** How a program is started there. */
  command(program: string, args: readonly string[]): readonly [program: string, args: readonly string[]];
}

/** Whether there can be such a network here. */
export function canHaveNetwork(): boolean {
  const name = `lf${process.pid}t`;
  try {
    ip('netns', 'add', name);
    ip('netns', 'delete', name);
    return true;
  } catch {
    return false;
  }
}

/** The network of one cluster. */
export class ClusterNetwork {
  readonly #names: readonly string[];
  readonly #id = process.pid % 1000;
  readonly #cuts: (readonly [string, string])[] = [];

  constructor(names: readonly string[]) {
    this.#names = names;
    this.close();
    ip('link', 'add', this.#bridge, 'type', 'bridge');
    ip('address', 'add', `${this.#prefix}.254/24`, 'dev', this.#bridge);
    ip('link', 'set', this.#bridge, 'up');
    for (const name of names) this.#add(name);
  }

  place(name: string): Place {
    return {
      host: this.#hostOf(name),
      command: (program, args) => ['ip', ['netns', 'exec', this.#spaceOf(name), program, ...args]],
    };
  }

  /** From now on nothing comes through between two servers, and neither is told. */
  cut(one: string, other: string): void {
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      ip('-n', this.#spaceOf(from), 'route', 'add', 'blackhole', `${this.#hostOf(to)}/32`);
      this.#cuts.push([from, to]);
    }
  }

  mend(): void {
    for (const [from, to] of this.#cuts.splice(0)) {
      ip('-n', this.#spaceOf(from), 'route', 'delete', 'blackhole', `${this.#hostOf(to)}/32`);
    }
  }

  /** Takes all away, also what a run that was ended has left. */
  close(): void {
    for (const name of this.#names) attempt('netns', 'delete', this.#spaceOf(name));
    attempt('link', 'delete', this.#bridge);
  }

  #add(name: string): void {
    const space = this.#spaceOf(name);
    const link = `lf${this.#id}${name}`;
    ip('netns', 'add', space);
    ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', space);
    ip('link', 'set', link, 'master', this.#bridge, 'up');
    ip('-n', space, 'address', 'add', `${this.#hostOf(name)}/24`, 'dev', 'eth0');
    for (const device of ['lo', 'eth0']) ip('-n', space, 'link', 'set', device, 'up');
  }

  get #bridge(): string {
    return `lf${this.#id}br`;
  }

  get #prefix(): string {
    return `10.${200 + Math.floor(this.#id / 250)}.${this.#id % 250}`;
  }

  #hostOf(name: string): string {
    return `${this.#prefix}.${this.#names.indexOf(name) + 1}`;
  }

  #spaceOf(name: string): string {
    return `lf${this.#id}-${name}`;
  }
}

function ip(...args: readonly string[]): void {
  execFileSync('ip', args, { stdio: 'pipe' });
}

function attempt(...args: readonly string[]): void {
  try {
    ip(...args);
  } catch {
    // It is not there.
  }
}
