// The package as another project has it: packed by npm, unpacked in a folder of its own, with nothing beside it but what it
// depends on and what its users' types need.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** A project in which the package is installed. */
export interface Installed {
  /** A project of ES modules and one of CommonJS; both find the package. */
  readonly esm: string;
  readonly cjs: string;
  /** The package's folder. */
  readonly folder: string;
  /** All files of the package, relative to its folder. */
  readonly files: readonly string[];
  remove(): Promise<void>;
}

/**
 * Packs and unpacks the package.
 * @param packages the other packages that the project has
 */
export async function install(packages: readonly string[]): Promise<Installed> {
  const place = await realpath(await mkdtemp(join(tmpdir(), 'livefold-')));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', place], { cwd: root });
  const { filename, files } = packed(stdout);
  await run('tar', ['-xzf', filename], { cwd: place });
  const modules = join(place, 'node_modules');
  await mkdir(modules);
  await rename(join(place, 'package'), join(modules, 'livefold'));
  for (const name of packages) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(root, 'node_modules', name), join(modules, name));
  }
  const projects = { esm: join(place, 'esm'), cjs: join(place, 'cjs') };
  for (const [kind, project] of Object.entries(projects)) {
    await mkdir(project);
    await writeFile(join(project, 'package.json'), JSON.stringify({ type: kind === 'esm' ? 'module' : 'commonjs' }));
  }
  return {
    ...projects,
    folder: join(modules, 'livefold'),
    files: files.map(({ path }) => path),
    remove: () => rm(place, { recursive: true, force: true }),
  };
}

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** What `npm pack --json` says, below what the build says. Newer versions of npm name the packages instead of listing them. */
function packed(stdout: string): Packed {
  const said: readonly Packed[] | Readonly<Record<string, Packed>> = JSON.parse(stdout.slice(stdout.search(/^[[{]/m)));
  const [one] = Object.values(said);
  if (one === undefined) throw new Error(`npm pack said ${stdout}`);
  return one;
}
