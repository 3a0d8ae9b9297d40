// Some of the metrics of the table, as prom-client keeps them.

import { Counter, Gauge, Histogram, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client';
import { type LabelValues, METRICS, type MetricRow } from './metric-table.ts';

/** Metrics as prom-client hands them from process to process. */
export type MetricObjects = readonly MetricObjectWithValues<MetricValue<string>>[];

type Table = typeof METRICS;
type KeyOf<Type extends MetricRow['type']> = {
  readonly [Key in keyof Table]: Table[Key]['type'] extends Type ? Key : never;
}[keyof Table];

export type MetricKey = keyof Table;
export type CounterKey = KeyOf<'counter'>;
export type GaugeKey = KeyOf<'gauge'>;
export type HistogramKey = KeyOf<'histogram'>;

/** Values of labels by their names. */
type Labels = Readonly<Record<string, string>>;

/** Metrics of one process. Counters begin at 0 for all that their labels can be. */
export class MetricSet {
  readonly registry: Registry = new Registry();
  readonly #counters = new Map<MetricKey, Counter<string>>();
  readonly #gauges = new Map<MetricKey, Gauge<string>>();
  readonly #histograms = new Map<MetricKey, Histogram<string>>();
  /** What totals that only grow were when they were last looked at. */
  readonly #seen = new Map<string, number>();

  constructor(keys: readonly MetricKey[]) {
    for (const key of keys) this.#make(key, METRICS[key]);
  }

  count(key: CounterKey, labels: Labels = {}, by = 1): void {
    this.#counters.get(key)?.inc(labels, by);
  }

  /** A total that somebody else keeps, and that only grows. */
  reach(key: CounterKey, total: number): void {
    const seen = this.#seen.get(key) ?? 0;
    if (total <= seen) return;
    this.#seen.set(key, total);
    this.count(key, {}, total - seen);
  }

  set(key: GaugeKey, value: number, labels: Labels = {}): void {
    this.#gauges.get(key)?.set(labels, value);
  }

  observe(key: HistogramKey, value: number): void {
    this.#histograms.get(key)?.observe(value);
  }

  async objects(): Promise<MetricObjects> {
    return await this.registry.getMetricsAsJSON();
  }

  #make(key: MetricKey, { name, type, help, labels = {}, buckets, together }: MetricRow): void {
    const registers = [this.registry];
    const labelNames = Object.keys(labels);
    const aggregator = together ?? 'sum';
    switch (type) {
      case 'counter': {
        const counter = new Counter({ name, help, labelNames, registers });
        for (const combination of combinations(Object.entries(labels))) counter.inc(combination, 0);
        this.#counters.set(key, counter);
        break;
      }
      case 'gauge':
        this.#gauges.set(key, new Gauge({ name, help, labelNames, registers, aggregator }));
        break;
      case 'histogram':
        this.#histograms.set(key, new Histogram({ name, help, labelNames, registers, buckets: [...(buckets ?? [])] }));
        break;
    }
  }
}

/** All that labels can be together; nothing where one of them can be anything. */
function combinations(labels: readonly (readonly [string, LabelValues])[]): readonly Labels[] {
  const [first, ...rest] = labels;
  if (first === undefined) return [{}];
  const [name, values] = first;
  if (typeof values === 'string') return [];
  return Object.keys(values).flatMap((value) => combinations(rest).map((more) => ({ [name]: value, ...more })));
}
