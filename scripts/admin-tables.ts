// docs/admin.md: what the admin server answers, and the metrics.

import { METRICS, type MetricRow } from '../src/admin/metric-table.ts';
import { ROUTES, type Route } from '../src/admin/routes.ts';
import type { Generated } from './generated-file.ts';

const HEAD = `<!-- Written by \`npm run generate\` from src/admin/routes.ts and src/admin/metric-table.ts. -->

# What the admin server answers

\`livefold --admin HOST:PORT\` answers these over HTTP:
`;

const METRICS_HEAD = `
\`--admin-token\` is sent as \`Authorization: Bearer TOKEN\`, or as the password of a basic authorization, for any user. Types of the
JSON are exported by the package: \`Status\`, \`StatusChanges\`, \`FeedDetail\`. At most 1,000 clients and 1,000 feeds of each worker are
listed, those that cost most; \`totals\` counts all.

# Metrics

With \`--workers\` one answer is for all of them: values are sums, unless it is said otherwise here, and what a worker has counted stays
counted when it is replaced; of one that dies, what it had counted when it was last asked. Values are at most a quarter of a second old. Labels have the values that stand here and no others: no texts of queries, no names of users.
Those that begin with \`process_\` and \`nodejs_\` are of prom-client.
`;

/** The page as it should be. */
export function adminTables(): readonly Generated[] {
  const routes = Object.values<Route>(ROUTES).map(routeRow);
  const metrics = Object.values<MetricRow>(METRICS).map(section);
  const table = ['| | | Without the token |', '| --- | --- | --- |', ...routes].join('\n');
  return [{ path: 'docs/admin.md', text: `${HEAD}\n${table}\n${METRICS_HEAD}\n${metrics.join('\n')}` }];
}

function routeRow({ path, methods, what, isOpen, needsToken }: Route): string {
  const without =
    isOpen === true ? 'yes' : needsToken === true ? 'never, and not where none is set' : 'where none is set';
  return `| \`${methods.join(', ')} ${path}\` | ${what} | ${without} |`;
}

function section({ name, type, help, labels = {}, together }: MetricRow): string {
  const all = together === undefined ? '' : ` Of several workers: the ${together === 'max' ? 'most' : 'least'}.`;
  const lines = Object.entries(labels).flatMap(([label, values]) => labelLines(label, values));
  return [`## ${name}`, '', `${type[0]?.toUpperCase()}${type.slice(1)}. ${help}${all}`, '', ...lines].join('\n');
}

function labelLines(label: string, values: NonNullable<MetricRow['labels']>[string]): readonly string[] {
  if (typeof values === 'string') return [`- \`${label}\`: ${values}`, ''];
  const rows = Object.entries(values).map(([value, meaning]) => `| \`${value}\` | ${meaning} |`);
  return [`| \`${label}\` | |`, '| --- | --- |', ...rows, ''];
}
