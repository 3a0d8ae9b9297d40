// The optarg `replicas`, of which one server can hold one (generate_config.cc).

import { opFailed } from '../../../rewrite/reql/error.ts';
import type { Args } from '../../../rewrite/reql/eval/index.ts';

/** Raises OP_FAILED for any number of replicas but one. */
export function checkReplicas(args: Args): void {
  const replicas = args.optargDatum('replicas');
  if (typeof replicas !== 'number') return;
  if (replicas < 1) {
    throw opFailed(
      'You must set `replicas` to at least one. `replicas` includes the primary replica; if there are zero replicas, there is nowhere to put the data.',
    );
  }
  if (replicas > 1) {
    throw opFailed(
      `Can't put ${replicas} replicas on servers with the tag \`default\` because there are only 1 servers with the tag \`default\`. It's impossible to have more replicas of the data than there are servers.`,
    );
  }
}
