// Livefold as a library: the proxy, the rewriting, and the in-memory server.

export * from '../proxy/index.ts';
export * from '../rewrite/index.ts';
export {
  createEmbeddedServer,
  type EmbeddedAddress,
  type EmbeddedOptions,
  type EmbeddedServer,
} from './embedded/index.ts';
