// The package as it is installed: what is in it, how it is found, and what its types allow.

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Installed, install, root } from './installed.ts';

const run = promisify(execFile);
const { dependencies, exports, typesVersions, bin, main, types }: Manifest = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly typesVersions: unknown;
  readonly bin: Readonly<Record<string, string>>;
  readonly main: string;
  readonly types: string;
}

/** What can be imported: `livefold`, `livefold/rewrite`, ... */
const entries = Object.keys(exports)
  .filter((path) => !path.endsWith('.json'))
  .map((path) => path.replace('.', 'livefold'));

/** The packages whose types the users of ours have. */
const TYPED = ['@types/node', '@types/rethinkdb', 'rethinkdb-ts', 'rethinkdb', 'undici-types'];

let installed: Installed;
beforeAll(async () => {
  installed = await install([...Object.keys(dependencies), ...TYPED]);
}, 240_000);
afterAll(() => installed?.remove());

test('all that package.json names is there', () => {
  const named = pathsIn([exports, typesVersions, bin, main, types]).map((path) => path.replace(/^\.\//, ''));
  expect(named.length).toBeGreaterThan(10);
  expect(installed.files).toEqual(expect.arrayContaining([...named, 'LICENSE', 'README.md']));
});

test('dist holds what the sources make, and nothing else', () => {
  const library = ['rewrite', 'proxy', 'src/embedded', 'src/index.ts', ...STATUS_TYPES].flatMap(stemsIn);
  const made = library.flatMap((stem) => [`${stem}.js`, `${stem}.d.ts`]);
  const found = installed.files.filter((file) => file.startsWith('dist/')).map((file) => file.slice('dist/'.length));
  const expected = [
    ...made,
    ...programFiles(),
    ...pageFiles(),
    ...made.map((file) => `cjs/${file}`),
    'cjs/package.json',
  ];
  expect([...found].sort()).toEqual(expected.sort());
});

/** What the library has of the admin server: the types of its documents. */
const STATUS_TYPES: readonly string[] = ['src/admin/routes.ts', 'src/admin/status.ts'];

/** The files of the page, as they were written. */
function pageFiles(): readonly string[] {
  const names = readdirSync(join(root, 'src/admin/page')).filter((name) => !/\.(?:json|md)$/.test(name));
  return names.map((name) => `src/page/${name}`);
}

/** The files of the program, which is bundled in a few pieces: `main.js` and whatever it loads. */
function programFiles(): readonly string[] {
  const files = ['src/main.js'];
  for (const file of files) {
    const loaded = [...read(`dist/${file}`).matchAll(/(?:from|import\(|import)\s*"(\.\/[^"]+)"/g)];
    const names = loaded.map(([, name = '']) => posix.join(posix.dirname(file), name));
    files.push(...new Set(names.filter((name) => !files.includes(name))));
  }
  return files;
}

test('no file names a source map that is not there', () => {
  const broken = installed.files
    .filter((file) => /\.(?:js|d\.ts)$/.test(file))
    .flatMap((file) => {
      const [, map] = /^\/\/# sourceMappingURL=(.*)$/m.exec(read(file)) ?? [];
      return map === undefined || installed.files.includes(join(dirname(file), map)) ? [] : [file];
    });
  expect(broken).toEqual([]);
});

test('links between the texts of the package lead somewhere', () => {
  const texts = installed.files.filter((file) => file.endsWith('.md'));
  const links = texts.flatMap((text) =>
    [...read(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => ({ text, link })),
  );
  expect(links.length).toBeGreaterThan(5);
  expect(links.filter(({ text, link }) => !leads(text, link))).toEqual([]);
});

test('`require` and `import` find each entry, with the same in it', async () => {
  const names = async (project: string, code: string) => {
    const { stdout } = await run(process.execPath, ['-e', code], { cwd: project });
    return JSON.parse(stdout);
  };
  const list = JSON.stringify(entries);
  const print = '(modules) => console.log(JSON.stringify(modules.map((module) => Object.keys(module).sort())))';
  const required = await names(installed.cjs, `(${print})(${list}.map((name) => require(name)))`);
  const imported = await names(installed.esm, `Promise.all(${list}.map((name) => import(name))).then(${print})`);
  expect(required[0]).toContain('rewrite');
  expect(
    imported.map((module: readonly string[]) => module.filter((name) => !/^(?:default|module\.exports)$/.test(name))),
  ).toEqual(required);
});

test('what is required rewrites as what is imported does', async () => {
  const query = JSON.stringify('[1,[152,[[145,[[15,["orders"]],"total"]]]]]');
  const required = await run(process.execPath, ['-p', `require('livefold/rewrite').rewrite(${query}).query`], {
    cwd: installed.cjs,
  });
  const code = `import { rewrite } from 'livefold/rewrite'; console.log(rewrite(${query}).query)`;
  const imported = await run(process.execPath, ['--input-type=module', '-e', code], { cwd: installed.esm });
  expect(required.stdout).toMatch(/^\[1,\[187,/);
  expect(required.stdout).toBe(imported.stdout);
});

test('merges for a browser are a few kilobytes, and need nothing of Node', async () => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: "export * from 'livefold/merge'", resolveDir: installed.esm },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    metafile: true,
  });
  expect(Object.keys(metafile.inputs).filter((path) => !/dist\/rewrite\/|<stdin>/.test(path))).toEqual([]);
  const [{ contents, text } = { contents: [], text: '' }] = outputFiles;
  expect(contents.length).toBeLessThan(5_000);
  const merges: typeof import('livefold/merge') = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  const merge = merges.composeMerges({ a: 1 }, merges.mergeBetween({ b: 1 }, { b: { c: 1 } }));
  expect(merge).toEqual({ a: 1, b: { c: 1 } });
  expect(merges.applyMerge({ a: 0, b: 0 }, merge)).toEqual({ a: 1, b: { c: 1 } });
});

test('the program runs', async () => {
  const program = join(installed.folder, bin['livefold'] ?? '');
  const { stdout } = await run(program, ['--version'], { cwd: installed.cjs });
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

/** The ways in which TypeScript finds packages. */
const RESOLUTIONS = [
  { name: 'node10', kind: 'cjs', module: ts.ModuleKind.CommonJS, moduleResolution: ts.ModuleResolutionKind.Node10 },
  { name: 'node16 from CommonJS', kind: 'cjs', module: ts.ModuleKind.Node16, moduleResolution: undefined },
  { name: 'node16', kind: 'esm', module: ts.ModuleKind.Node16, moduleResolution: undefined },
  { name: 'nodenext from CommonJS', kind: 'cjs', module: ts.ModuleKind.NodeNext, moduleResolution: undefined },
  { name: 'nodenext', kind: 'esm', module: ts.ModuleKind.NodeNext, moduleResolution: undefined },
  { name: 'bundler', kind: 'esm', module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
] as const;

const USES = ['library.ts', 'rethinkdb-ts.ts', 'rethinkdb.ts'];

test.each(RESOLUTIONS)(
  'its types are found and hold, libraries checked: $name',
  async ({ kind, module, moduleResolution }) => {
    const project = installed[kind];
    for (const file of USES) await copyFile(join(import.meta.dirname, 'types', file), join(project, file));
    const options: ts.CompilerOptions = {
      module,
      ...(moduleResolution === undefined ? {} : { moduleResolution }),
      target: ts.ScriptTarget.ES2022,
      strict: true,
      skipLibCheck: false,
      noEmit: true,
      types: ['node'],
      typeRoots: [join(installed.folder, '..', '@types')],
    };
    const program = ts.createProgram(
      USES.map((file) => join(project, file)),
      options,
      host(options),
    );
    // The types of the language and of Node are others' business, and take most of the time.
    const checked = program.getSourceFiles().filter(({ fileName }) => /livefold|rethinkdb/.test(fileName));
    const found = checked.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]);
    expect(checked.some(({ fileName }) => fileName.endsWith('types/rethinkdb.d.ts'))).toBe(true);
    expect(found.map(said)).toEqual([]);
  },
);

const parsed = new Map<string, ts.SourceFile | undefined>();

/** Reads the types of the language and of Node once for all programs. */
function host(options: ts.CompilerOptions): ts.CompilerHost {
  const fresh = ts.createCompilerHost(options);
  return {
    ...fresh,
    getCurrentDirectory: () => installed.folder,
    getSourceFile(name, version, ...rest) {
      if (!/\/(?:typescript\/lib|@types\/node)\//.test(name)) return fresh.getSourceFile(name, version, ...rest);
      if (!parsed.has(name)) parsed.set(name, fresh.getSourceFile(name, version, ...rest));
      return parsed.get(name);
    },
  };
}

function said({ file, start, messageText }: ts.Diagnostic): string {
  const place =
    file === undefined ? '' : `${file.fileName}:${file.getLineAndCharacterOfPosition(start ?? 0).line + 1}: `;
  return `${place}${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
}

function read(file: string): string {
  return readFileSync(join(installed.folder, file), 'utf8');
}

/** True where a link names a heading of its own text, or a file of the package. */
function leads(text: string, link: string): boolean {
  const [path = '', heading] = link.split('#');
  if (/^https?:/.test(link)) return true;
  if (path !== '') return existsSync(join(installed.folder, dirname(text), path));
  const headings = [...read(text).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/ /g, '-')
      .replace(/[^\w-]/g, ''),
  );
  return headings.includes(heading ?? '');
}

/** The modules of a folder, or the one of a file, without their endings. */
function stemsIn(path: string): readonly string[] {
  const files = path.endsWith('.ts') ? [''] : readdirSync(join(root, path), { recursive: true, encoding: 'utf8' });
  return files
    .map((file) => join(path, file))
    .flatMap((file) => (file.endsWith('.ts') ? [file.slice(0, -'.ts'.length)] : []));
}

/** All paths that a value names, from the package's folder. */
function pathsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(pathsIn) : [];
}
