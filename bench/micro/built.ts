// Modules as they are shipped: compiled into dist/, not as the bench's own loader would compile them.

/** Loads a module of dist/ whose source has this type: `built<typeof import('../../rewrite/rewrite.ts')>('rewrite/rewrite')`. */
export async function built<Module>(path: string): Promise<Module> {
  const module: Module = await import(new URL(`../../dist/${path}.js`, import.meta.url).href);
  return module;
}
