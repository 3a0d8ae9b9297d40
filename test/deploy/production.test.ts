// docs/PRODUCTION.md names all metrics, alerts and options that there are, and no others.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { METRICS } from '../../src/admin/metric-table.ts';
import { OPTION_TABLE } from '../../src/command/option-table.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(`${root}/${path}`, 'utf8');
const page = read('docs/PRODUCTION.md');
const alerts: { readonly groups: readonly { readonly rules: readonly Alert[] }[] } = parse(
  read('deploy/prometheus/alerts.yml'),
);
const rules = alerts.groups.flatMap((group) => group.rules);

interface Alert {
  readonly alert: string;
  readonly annotations: { readonly runbook: string };
}

test('what each metric is for is told, once, and of no other', () => {
  const [, table = ''] = /## What to watch\n(.*?)\n##/s.exec(page) ?? [];
  const told = [...table.matchAll(/`(livefold_[a-z_]+)`/g)].map(([, name]) => name);
  expect(told.toSorted()).toEqual(
    Object.values(METRICS)
      .map(({ name }) => name)
      .toSorted(),
  );
});

/** The first cells of the tables below a title. */
function rowsBelow(title: string): readonly string[] {
  const [, part = ''] = new RegExp(`### ${title}\\n(.*?)\\n##`, 's').exec(page) ?? [];
  return [...part.matchAll(/^\| (.*?) \|/gm)].map(([, cell = '']) => cell);
}

test('each reason for which a feed ends, or is refused, is told of, and no other', () => {
  const told = rowsBelow('What the reasons mean').flatMap((cell) =>
    [...cell.matchAll(/`([A-Za-z_]+)`/g)].map(([, reason]) => reason),
  );
  const there = new Set([...Object.keys(METRICS.ended.labels.reason), ...Object.keys(METRICS.refused.labels.reason)]);
  expect(told.filter((reason) => reason !== 'shared' && reason !== 'changes').toSorted()).toEqual(
    [...there].toSorted(),
  );
});

test('each reason for which a feed is private is told of', () => {
  const cells = rowsBelow('What the reasons mean');
  const files = ['rewrite/sharing.ts', 'proxy/feed/opening/begin-feed.ts', 'proxy/feed/native/open-merged.ts'];
  const reasons = [...files, 'proxy/feed/sharing/shared-feeds.ts'].flatMap((file) =>
    [...read(file).matchAll(/(?:why:|why =|export const \w+ =|'alone',|openAlone\(request,) '([^']+)'/g)].map(
      ([, reason]) => reason,
    ),
  );
  expect(reasons.length).toBe(8);
  expect(reasons.filter((reason) => reason !== undefined && !cells.includes(reason))).toEqual([]);
});

test('metrics that are named elsewhere are there', () => {
  const names = new Set<string>(Object.values(METRICS).map(({ name }) => name));
  expect(
    [...page.matchAll(/`(livefold_[a-z_]+)`/g)].map(([, name = '']) => name).filter((name) => !names.has(name)),
  ).toEqual([]);
});

test('each alert has its part, to which it leads, and no part is of an alert that there is not', () => {
  const parts = [...page.matchAll(/^### (\w+)$/gm)].map(([, title]) => title);
  expect(parts).toEqual(rules.map(({ alert }) => alert));
  for (const { alert, annotations } of rules) {
    expect(annotations.runbook).toBe(`docs/PRODUCTION.md#${alert.toLowerCase()}`);
  }
});

test('options that are named are there', () => {
  const known = new Set(OPTION_TABLE.map(({ flags }) => /^--[\w-]+/.exec(flags)?.[0]));
  const named = [...page.matchAll(/`(--[a-z-]+)/g)].map(([, flag]) => flag);
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((flag) => !known.has(flag))).toEqual([]);
});

test('all folders of deploy are told of', () => {
  const folders = readdirSync(`${root}/deploy`);
  for (const folder of folders) expect(page).toContain(`(../deploy/${folder})`);
});
