// The proxy as a library.

export { type Address, AddressError, parseAddress, printAddress } from './address.ts';
export { createOpenFeed, DEFAULT_LIMITS, type OpenFeedSettings } from './feed/open-feed.ts';
export { type Feed, type FeedIo, type FeedQuery, noFeeds, type OpenFeed } from './feed-port.ts';
export { type ProxySettings, type RunningProxy, startProxy } from './listener.ts';
export { type Log, silent } from './log.ts';
export { DEFAULTS, type ProxyOptions } from './options.ts';
