// The list of aggregates, made from the files of their folders: each file that exports a constant of type `Aggregate` is one.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = 'rewrite/aggregates';
/** Where those are that go by name, from there. */
const NAMED = 'named';
const LINE = 120;

/** The path of the list and its text. */
export function aggregateIndex(root: string): { readonly path: string; readonly text: string } {
  const found = [...filesIn(root, '.'), ...filesIn(root, NAMED)]
    .flatMap((file) => exportsOf(join(root, FOLDER, file)).map((name) => ({ file, name })))
    .sort((a, b) => (stem(a.file) < stem(b.file) ? -1 : 1));
  const imports = found.map(({ file, name }) => `import { ${name} } from './${file}';`);
  const names = found.map(({ name }) => name).sort();
  return { path: `${FOLDER}/index.ts`, text: indexText(imports, list(names)) };
}

function filesIn(root: string, folder: string): readonly string[] {
  return readdirSync(join(root, FOLDER, folder))
    .filter((file) => file.endsWith('.ts') && file !== 'index.ts')
    .map((file) => join(folder, file));
}

function exportsOf(path: string): readonly string[] {
  return [...readFileSync(path, 'utf8').matchAll(/^export const (\w+): Aggregate\b/gm)].map(([, name = '']) => name);
}

function stem(file: string): string {
  return file.slice(0, -'.ts'.length);
}

function list(names: readonly string[]): string {
  const line = `export const aggregates: readonly Aggregate[] = [${names.join(', ')}];`;
  if (line.length <= LINE) return line;
  return `export const aggregates: readonly Aggregate[] = [\n${names.map((name) => `  ${name},\n`).join('')}];`;
}

/** What the list itself is written with. */
const TYPES = [
  "import type { CallTerm } from '../reql/term/term.ts';",
  "import { type Aggregate, byTerm, isNamed, type NamedAggregate } from './aggregate.ts';",
];

function indexText(imports: readonly string[], aggregates: string): string {
  return `// Written by \`npm run generate\`: the aggregates, one of each file here and in \`named\` that exports one.

${[...TYPES, ...imports].join('\n')}

/** All aggregates, sorted by their constant's name. */
${aggregates}

/** The aggregate that a call of the client's query stands for. */
export function aggregateFor(term: CallTerm): Aggregate | undefined {
  for (const aggregate of ofTerms.get(term.type) ?? []) if (aggregate.takes?.(term) ?? true) return aggregate;
  return undefined;
}

const ofTerms = byTerm(aggregates);

/** Those that go by name, in the order of their names. */
export const namedAggregates: readonly NamedAggregate[] = aggregates
  .filter(isNamed)
  .sort((a, b) => (a.name < b.name ? -1 : 1));
`;
}
