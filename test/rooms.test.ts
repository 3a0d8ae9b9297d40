// The imports that rooms may have of each other, as data. A file that breaks a rule is named, with what it imports.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const FOLDERS = ['rewrite', 'proxy', 'src', 'scripts', 'bench', 'examples', 'test'];

/** Characters that a room's paragraph has at least. */
const MIN_PARAGRAPH = 40;

interface Rule {
  readonly room: string;
  /** The folders and files that may be imported from. */
  readonly from: readonly string[];
  /** Modules of Node (`node:*` for all) and packages that may be imported. */
  readonly modules: readonly string[];
  readonly because: string;
}

/** The files of the language that every room of it reads: numbers of the protocol, errors, origins, meters. */
const LANGUAGE_ITSELF = ['protocol', 'term-type', 'origin', 'error', 'meter', 'too-deep'].map(
  (name) => `rewrite/reql/${name}.ts`,
);

/** Every rule whose room holds a file applies to it. */
const RULES: readonly Rule[] = [
  {
    room: 'rewrite/',
    from: ['rewrite/'],
    modules: ['re2js', '@noble/hashes'],
    because: 'the language stands alone and runs in a browser',
  },
  {
    room: 'rewrite/reql/',
    from: ['rewrite/reql/'],
    modules: ['re2js', '@noble/hashes'],
    because: 'the language knows no changefeeds',
  },
  {
    room: 'rewrite/reql/data/',
    from: [...LANGUAGE_ITSELF, 'rewrite/reql/data/'],
    modules: ['*'],
    because: 'data come before terms',
  },
  {
    room: 'rewrite/reql/term/',
    from: [...LANGUAGE_ITSELF, 'rewrite/reql/data/', 'rewrite/reql/term/', 'rewrite/reql/build/'],
    modules: ['*'],
    because: 'terms come before their printing and their evaluation',
  },
  {
    room: 'rewrite/merge/',
    from: ['rewrite/reql/data/', 'rewrite/merge/'],
    modules: [],
    because: 'programs take merges alone into a browser',
  },
  { room: 'proxy/', from: ['rewrite/', 'proxy/'], modules: ['*'], because: 'layers point downwards' },
  {
    room: 'proxy/wire/',
    from: ['rewrite/reql/', 'proxy/wire/'],
    modules: ['node:buffer'],
    because: 'the wire has no sockets and no timers',
  },
  {
    room: 'src/embedded/',
    from: ['rewrite/reql/', 'proxy/wire/', 'proxy/work/work-clock.ts', 'src/embedded/'],
    modules: ['*'],
    because: 'tests through the proxy mean something only before a server that knows nothing of it',
  },
  {
    room: 'src/client/',
    from: ['rewrite/reql/', 'proxy/wire/', 'proxy/upstream/address.ts', 'src/client/'],
    modules: ['*'],
    because: 'a client of a server knows nothing of how feeds are made live',
  },
  {
    room: 'src/terminal/',
    from: ['src/terminal/'],
    modules: ['*'],
    because: 'a terminal knows not what is drawn on it',
  },
  {
    room: 'src/',
    from: ['rewrite/', 'proxy/', 'src/', 'package.json'],
    modules: ['*'],
    because: 'layers point downwards',
  },
  {
    room: 'scripts/',
    from: ['rewrite/', 'proxy/', 'src/', 'scripts/'],
    modules: ['*'],
    because: 'layers point downwards',
  },
];

interface Import {
  readonly file: string;
  /** A path from the root for our own files, else the name of a module. */
  readonly what: string;
  readonly isModule: boolean;
}

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(folder, path)),
);

const imports: readonly Import[] = files.flatMap((file) =>
  [
    ...readFileSync(join(root, file), 'utf8').matchAll(
      /^(?:import|export)\b[^;'"]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm,
    ),
  ].map(([, first, second, third]) => {
    const specifier = first ?? second ?? third ?? '';
    const isModule = !specifier.startsWith('.');
    const what = isModule ? specifier : relative(root, join(root, dirname(file), specifier));
    return { file, what, isModule };
  }),
);

function allowed({ from, modules }: Rule, { what, isModule }: Import): boolean {
  if (!isModule) return from.some((place) => what.startsWith(place));
  return modules.includes('*') || modules.some((name) => what === name || what.startsWith(`${name}/`));
}

test.each(RULES.map((rule) => ({ ...rule, rule })))('$room imports only what it may: $because', ({ room, rule }) => {
  const own = imports.filter(({ file }) => file.startsWith(room));
  expect(own.length).toBeGreaterThan(0);
  const broken = own.filter((one) => !allowed(rule, one)).map(({ file, what }) => `${file} imports ${what}`);
  expect(broken).toEqual([]);
});

test('rewrite/ reads no clock, waits for nothing and knows nothing of Node', () => {
  const words = /\b(?:async|await|Promise|setTimeout|setInterval|Date\.now|performance|process|Buffer|require)\b/;
  const broken = files
    .filter((file) => file.startsWith('rewrite/'))
    .filter((file) => words.test(withoutComments(readFileSync(join(root, file), 'utf8'))));
  expect(broken).toEqual([]);
});

test('only index.ts files are barrels', () => {
  const broken = files
    .filter((file) => !file.endsWith('/index.ts'))
    .filter((file) => /^export (?:\*|\{[^}]*\}) from /m.test(readFileSync(join(root, file), 'utf8')));
  expect(broken).toEqual([]);
});

const product = files.filter((file) => /^(?:rewrite|proxy|src)\//.test(file));

function codeOf(file: string): string {
  return withoutComments(readFileSync(join(root, file), 'utf8'));
}

test('a kind that is added does not compile until each switch over kinds has it: none has a default', () => {
  expect(product.filter((file) => /^\s*default:(?: \{)?$/m.test(codeOf(file)))).toEqual([]);
});

test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('each file that %s names is there', (document) => {
  const named = readFileSync(join(root, document), 'utf8').matchAll(/`([\w./-]+\.ts)`|\]\(([\w./-]+\.ts)\)/g);
  const names = [...named].map(([, first, second]) => first ?? second ?? '');
  expect(names.length).toBeGreaterThan(10);
  // A name without a folder, or with the last of its folders, is that of a file below others.
  expect(names.filter((name) => !files.some((file) => file === name || file.endsWith(`/${name}`)))).toEqual([]);
});

test('what breaks an analysis off becomes a value in one place', () => {
  const exits = /instanceof (?:LeaveToServer|UnknownIndex)\b/;
  expect(product.filter((file) => exits.test(codeOf(file)))).toEqual(['rewrite/recognized.ts']);
});

test('what is special about an aggregate is in its own data: nobody asks which one it is', () => {
  const index = readFileSync(join(root, 'rewrite/aggregates/index.ts'), 'utf8');
  const names = [...index.matchAll(/^import \{ (\w+) \} from '\.\/(?!aggregate\.ts)/gm)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(10);
  const broken = product.flatMap((file) => {
    const code = readFileSync(join(root, file), 'utf8');
    const known = names.filter((name) => new RegExp(`^import \\{[^}]*\\b${name}\\b[^}]*\\} from`, 'm').test(code));
    const compared = known.filter((name) => new RegExp(`[!=]==\\s*${name}\\b|\\b${name}\\s*[!=]==`).test(codeOf(file)));
    return compared.map((name) => `${file} compares with ${name}`);
  });
  expect(broken).toEqual([]);
});

test('each room of the product says at its head what it is', () => {
  const rooms = [...new Set(product.map((file) => dirname(file)))];
  expect(rooms.length).toBeGreaterThan(30);
  const silent = rooms.filter((room) => {
    const path = join(root, room, 'README.md');
    const [title, , ...text] = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
    return title !== `# ${room}` || text.join(' ').trim().length < MIN_PARAGRAPH;
  });
  expect(silent).toEqual([]);
});

test('no file has a name that says nothing', () => {
  const empty = /(?:^|\/)(?:utils?|helpers?|common|types|manager|handler)\.ts$/;
  expect(files.filter((file) => empty.test(file))).toEqual([]);
});

/** Code without comments and texts. */
function withoutComments(code: string): string {
  return code
    .replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    .replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g, "''");
}
