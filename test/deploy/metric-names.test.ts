// Dashboards, alerts and the page for operators name metrics, labels and values that there are, and no others.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { METRICS, type MetricRow } from '../../src/admin/metric-table.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(`${root}/${path}`, 'utf8');
const rows = Object.values<MetricRow>(METRICS);

/** Series as a scrape shows them: those of a histogram have endings. */
const series: ReadonlyMap<string, MetricRow> = new Map(
  rows.flatMap((row): [string, MetricRow][] => {
    const names = row.type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => row.name + end) : [row.name];
    return names.map((name) => [name, row]);
  }),
);

/** Series of prom-client and of Prometheus itself that are named. */
const OTHERS: readonly string[] = ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'up'];
/** Labels that Prometheus adds, and that of a histogram. */
const ADDED: readonly string[] = ['instance', 'job', 'le'];

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly type: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
  readonly annotations: { readonly list: readonly { readonly expr: string }[] };
  readonly templating: { readonly list: readonly { readonly query: string | { readonly query: string } }[] };
}

interface Alerts {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly annotations: { readonly summary: string; readonly runbook: string };
    }[];
  }[];
}

const dashboard: Dashboard = JSON.parse(read('deploy/grafana/dashboards/livefold.json'));
const alerts: Alerts = parse(read('deploy/prometheus/alerts.yml'));
const rules = alerts.groups.flatMap((group) => group.rules);

interface Query {
  readonly where: string;
  readonly expr: string;
  /** Text that may name labels of what the query gives. */
  readonly text: string;
}

const queries: readonly Query[] = [
  ...dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({ where: title, expr, text: legendFormat })),
  ),
  ...dashboard.annotations.list.map(({ expr }) => ({ where: 'annotations', expr, text: '' })),
  ...rules.map(({ alert, expr, annotations }) => ({ where: alert, expr, text: annotations.summary })),
];

/** The names of series in a query: words that no bracket follows, that are no label and no keyword. */
function namesIn(expr: string): readonly string[] {
  const bare = expr.replace(/\{[^}]*\}|\[[^\]]*\]|"[^"]*"/g, '').replace(/\b(?:by|without)\s*\([^)]*\)/g, '');
  return [...bare.matchAll(/\b[a-z_]+\b(?!\s*\()/g)].map(([name]) => name);
}

/** The labels that a query tells apart, and the values that it asks for. */
function labelsIn(expr: string): readonly (readonly [label: string, value: string | undefined])[] {
  const grouped = [...expr.matchAll(/\bby\s*\(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(','));
  const matched = [...expr.matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g)];
  return [
    ...grouped.map((label): readonly [string, undefined] => [label.trim(), undefined]),
    ...matched.map(([, label = '', value = '']): readonly [string, string] => [label, value]),
  ];
}

test('there are queries to be held to the table', () => {
  expect(queries.length).toBeGreaterThan(40);
  expect(rules.length).toBeGreaterThan(8);
});

describe.each(queries.map((query) => ({ name: `${query.where}: ${query.expr}`, query })))('$name', ({ query }) => {
  const names = namesIn(query.expr);

  test('names metrics that there are', () => {
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !series.has(name) && !OTHERS.includes(name))).toEqual([]);
  });

  test('names labels and values that they have', () => {
    const labels = names.flatMap((name) => Object.entries(series.get(name)?.labels ?? {}));
    const shown = [...query.text.matchAll(/\{\{\s*\$?(?:labels\.)?([a-z_]+)\s*\}\}/g)].map(([, label = '']) => label);
    const own = shown.filter((label) => label !== 'value');
    for (const [label, value] of [
      ...labelsIn(query.expr),
      ...own.map((label): [string, undefined] => [label, undefined]),
    ]) {
      if (ADDED.includes(label)) continue;
      const [, values] = labels.find(([name]) => name === label) ?? [];
      expect(values, `${label} of ${names.join(', ')}`).toBeDefined();
      if (value !== undefined && typeof values === 'object') expect(Object.keys(values)).toContain(value);
    }
  });

  test('takes the rate of what only grows, and of nothing else', () => {
    for (const name of names) {
      const isCounter = name.endsWith('_total') || name.endsWith('_bucket');
      const isRated = new RegExp(`(?:rate|increase)\\(${name}\\b`).test(query.expr);
      expect(isRated, name).toBe(isCounter);
    }
  });
});

test('every metric is on the dashboard, but for what names versions and processes', () => {
  const shown = new Set(queries.flatMap(({ expr }) => namesIn(expr)).map((name) => series.get(name)?.name));
  const variables = JSON.stringify(dashboard.templating);
  const missing = rows.map(({ name }) => name).filter((name) => !shown.has(name) && !variables.includes(name));
  expect(missing).toEqual([METRICS.workers.name]);
});

test('panels do not lie on each other', () => {
  const cells = new Set<string>();
  for (const { gridPos, title } of dashboard.panels) {
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        expect(x, title).toBeLessThan(24);
        expect(cells.has(`${x} ${y}`), title).toBe(false);
        cells.add(`${x} ${y}`);
      }
    }
  }
});
