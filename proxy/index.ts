// The proxy as a library.

export { type Address, AddressError, parseAddress, printAddress } from './address.ts';
export { DEFAULT_LIMITS } from './feed/default-limits.ts';
export { createOpenFeed, type OpenFeedSettings } from './feed/open-feed.ts';
export { type Feed, type FeedIo, type FeedQuery, noFeeds, type OpenFeed } from './feed-port.ts';
export { canReusePort } from './listen.ts';
export {
  createProxy,
  type ProxyCore,
  type ProxySettings,
  type RunningProxy,
  startProxy,
  type UnboundSettings,
} from './listener.ts';
export { type Log, silent } from './log.ts';
export { DEFAULTS, type ProxyOptions } from './options.ts';
