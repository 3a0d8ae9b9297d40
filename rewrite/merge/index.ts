// Changes of JSON values as JSON: what leads from one value to another, applied, and composed. No Node, also in a browser.

export { applyMerge } from './apply-merge.ts';
export { composeMerges } from './compose-merges.ts';
export type { Merge } from './merge.ts';
export { mergeBetween } from './merge-between.ts';
