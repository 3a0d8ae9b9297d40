// The proxy as a library.

export { DEFAULT_LIMITS } from './feed/default-limits.ts';
export { createOpenFeed } from './feed/opening/open-feed.ts';
export type { OpenFeedSettings } from './feed/opening/open-feed-settings.ts';
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
export { type Feed, type FeedIo, type FeedQuery, noFeeds, type OpenFeed } from './relay/feed-port.ts';
export { type Address, AddressError, parseAddress, printAddress } from './upstream/address.ts';
