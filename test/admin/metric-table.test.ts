// The names of metrics after Prometheus' rules (prometheus.io/docs/practices/naming): units, and what only grows, are in the name.

import { expect, test } from 'vitest';
import { METRICS, type MetricRow } from '../../src/admin/metric-table.ts';

const rows = Object.values<MetricRow>(METRICS);

test('each name stands once, is made of lower-case words, and a counter ends with _total alone', () => {
  expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
  for (const { name, type } of rows) {
    expect(name).toMatch(/^livefold(?:_[a-z]+)+$/);
    expect(name.endsWith('_total'), name).toBe(type === 'counter');
  }
});

test('help is one sentence or two, and says of each metric in seconds or bytes what it measures', () => {
  for (const { name, help } of rows) expect(help, name).toMatch(/^[A-Z1].*\.$/s);
  for (const { name, type } of rows) if (type === 'histogram') expect(name).toMatch(/_(?:seconds|bytes)$/);
});

test('labels are words, and have few values', () => {
  for (const { name, labels = {} } of rows) {
    for (const [label, values] of Object.entries(labels)) {
      expect(label, name).toMatch(/^[a-z]+$/);
      if (typeof values === 'string') continue;
      expect(Object.keys(values).length, `${name} ${label}`).toBeLessThan(20);
    }
  }
});

test('buckets grow, and belong to histograms', () => {
  for (const { name, type, buckets } of rows) {
    expect(buckets !== undefined, name).toBe(type === 'histogram');
    expect(
      [...(buckets ?? [])].sort((a, b) => a - b),
      name,
    ).toEqual(buckets ?? []);
  }
});
