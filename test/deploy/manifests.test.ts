// The files of deploy/ for Kubernetes, systemd and compose: kinds after their schemas, options that there are, and times that fit together.

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { SOURCES } from '../../scripts/sources.mjs';
import { OPTION_TABLE } from '../../src/command/option-table.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const linesOf = (path: string): readonly string[] => read(path).trimEnd().split('\n');

interface Model {
  /** Throws where it is not as the schema of its kind has it. */
  validate(): void;
}

type ModelClass = new (manifest: object) => Model;

/** Where the schema of each kind that is used is. */
const MODULES: Readonly<Record<string, string>> = {
  'v1 ConfigMap': 'kubernetes-models/v1/ConfigMap',
  'v1 Service': 'kubernetes-models/v1/Service',
  'apps/v1 Deployment': 'kubernetes-models/apps/v1/Deployment',
  'policy/v1 PodDisruptionBudget': 'kubernetes-models/policy/v1/PodDisruptionBudget',
  'monitoring.coreos.com/v1 ServiceMonitor':
    '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor',
};

async function modelOf({ apiVersion, kind }: Manifest): Promise<ModelClass> {
  const name = MODULES[`${apiVersion} ${kind}`];
  if (name === undefined) throw new Error(`no schema of ${apiVersion} ${kind}`);
  const models: Readonly<Record<string, ModelClass>> = await import(name);
  const model = models[kind];
  if (model === undefined) throw new Error(`${name} has no ${kind}`);
  return model;
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
}

const manifests = ['livefold.yaml', 'monitoring.yaml'].flatMap((file) =>
  parseAllDocuments(read(`deploy/kubernetes/${file}`)).map((document): Manifest => {
    expect(document.errors).toEqual([]);
    return document.toJS();
  }),
);

describe.each(manifests.map((manifest) => ({ kind: manifest.kind, manifest })))('$kind', ({ manifest }) => {
  test('is as its schema has it', async () => {
    const Model = await modelOf(manifest);
    new Model(manifest).validate();
  });

  test('would be found out with a field that is not of its kind', async () => {
    const Model = await modelOf(manifest);
    const spec = { replicas: 'two', ports: 'none', minAvailable: {}, endpoints: 1 };
    expect(() => new Model({ ...manifest, spec, data: 5 }).validate()).toThrow();
  });
});

interface Container {
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env: readonly { readonly name: string }[];
  readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: readonly [string, string] } } };
  readonly resources: { readonly limits: { readonly memory: string } };
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Deployment extends Manifest {
  readonly spec: {
    readonly replicas: number;
    readonly selector: { readonly matchLabels: object };
    readonly template: {
      readonly metadata: { readonly labels: object };
      readonly spec: { readonly terminationGracePeriodSeconds: number; readonly containers: readonly Container[] };
    };
  };
}

interface ConfigMap extends Manifest {
  readonly data: Readonly<Record<string, string>>;
}

const isDeployment = (manifest: Manifest): manifest is Deployment => manifest.kind === 'Deployment';
const isConfigMap = (manifest: Manifest): manifest is ConfigMap => manifest.kind === 'ConfigMap';
const [deployment, config] = [manifests.find(isDeployment), manifests.find(isConfigMap)];
if (deployment === undefined || config === undefined) throw new Error('no Deployment, or no ConfigMap');
const { template, selector } = deployment.spec;
const [container] = template.spec.containers;
if (container === undefined) throw new Error('no container');

test('all select the pods of the Deployment', () => {
  expect(template.metadata.labels).toEqual(selector.matchLabels);
  for (const kind of ['Service', 'PodDisruptionBudget', 'ServiceMonitor']) {
    const text = JSON.stringify(manifests.find((manifest) => manifest.kind === kind));
    expect(text, kind).toContain(JSON.stringify(selector.matchLabels));
  }
});

test('probes ask the admin port, and ports are those of the options', () => {
  const ports = new Map(container.ports.map(({ name, containerPort }) => [name, containerPort]));
  for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
    expect(probe.httpGet.port).toBe('admin');
  }
  expect(container.livenessProbe.httpGet.path).toBe('/healthz');
  expect(container.readinessProbe.httpGet.path).toBe('/readyz');
  expect(config.data['LIVEFOLD_ADMIN']).toBe(`0.0.0.0:${ports.get('admin')}`);
  expect(read('Dockerfile')).toContain(`LIVEFOLD_LISTEN=0.0.0.0:${ports.get('reql')}`);
});

test('a pod has the time to leave its service, to drain and to kill workers that are stuck', () => {
  const [, leave] = container.lifecycle.preStop.exec.command;
  const drain = Number(config.data['LIVEFOLD_DRAIN_SECONDS']);
  expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(Number(leave) + drain + 2);
});

test('what Node may take for its heap leaves a quarter of the memory', () => {
  const [, heap] = /--max-old-space-size=(\d+)/.exec(config.data['NODE_OPTIONS'] ?? '') ?? [];
  expect(container.resources.limits.memory).toBe('2Gi');
  expect(Number(heap) * Number(config.data['LIVEFOLD_WORKERS'])).toBeLessThanOrEqual(2048 * 0.75);
});

/** Names of variables that a text sets. */
const variablesIn = (text: string): readonly string[] =>
  [...text.matchAll(/\bLIVEFOLD_[A-Z0-9_]+/g)].map(([name]) => name);

test.each([
  'systemd/livefold.env',
  'systemd/livefold.service',
  'kubernetes/livefold.yaml',
  'compose/docker-compose.yml',
])('options that %s names are options that there are', (file) => {
  const known = OPTION_TABLE.map(({ env }) => env);
  const used = variablesIn(read(`deploy/${file}`));
  expect(used.length).toBeGreaterThan(0);
  expect(used.filter((name) => !known.includes(name))).toEqual([]);
});

test('the unit lets livefold drain before it kills it', () => {
  const [, drain] = /^LIVEFOLD_DRAIN_SECONDS=(\d+)$/m.exec(read('deploy/systemd/livefold.env')) ?? [];
  const [, stop] = /^TimeoutStopSec=(\d+)$/m.exec(read('deploy/systemd/livefold.service')) ?? [];
  expect(Number(stop)).toBeGreaterThan(Number(drain) + 2);
});

interface Compose {
  readonly services: Readonly<
    Record<string, { readonly volumes?: readonly string[]; readonly build?: string; readonly depends_on?: object }>
  >;
  readonly volumes: Readonly<Record<string, unknown>>;
}

test('the image is built of all that the build reads, and .dockerignore keeps none of it back', () => {
  const passed = new Set(linesOf('.dockerignore').flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : [])));
  expect(linesOf('.dockerignore')[0]).toBe('*');
  const copied = linesOf('Dockerfile').flatMap((line) => /^COPY (?!--from)(.+) \S+$/.exec(line)?.[1]?.split(' ') ?? []);
  expect(copied.filter((path) => !passed.has(path))).toEqual([]);
  expect(copied.filter((path) => !isThere(join(root, path)))).toEqual([]);
  const needed = [...SOURCES, 'scripts/sources.mjs', 'package-lock.json'].map((path) => path.split('/')[0] ?? '');
  expect([...new Set(needed)].filter((path) => !copied.includes(path))).toEqual([]);
});

test('compose names files, volumes and services that there are', () => {
  const folder = join(root, 'deploy/compose');
  const { services, volumes }: Compose = parse(readFileSync(join(folder, 'docker-compose.yml'), 'utf8'));
  for (const [name, { volumes: mounted = [], build, depends_on: after = {} }] of Object.entries(services)) {
    for (const [source = ''] of mounted.map((mount) => mount.split(':'))) {
      const isFile = source.startsWith('.');
      expect(isFile ? isThere(resolve(folder, source)) : source in volumes, `${name}: ${source}`).toBe(true);
    }
    if (build !== undefined) expect(isThere(resolve(folder, build, 'Dockerfile'))).toBe(true);
    for (const other of Array.isArray(after) ? after : Object.keys(after))
      expect(Object.keys(services)).toContain(other);
  }
  const { scrape_configs: scrapes } = parse(read('deploy/prometheus/prometheus.yml'));
  expect(scrapes[0].static_configs[0].targets).toEqual(['livefold:28017']);
  expect(JSON.stringify(services['livefold'])).toContain('0.0.0.0:28017');
});

function isThere(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EISDIR';
  }
}
