// Counts of what happens too often for an event each. Plain numbers that only grow, one tally for a proxy. Bytes are not among
// them: sockets count those by themselves.

/** Sums since the proxy began. */
export class Tally {
  /** Frames of clients that went on untouched. */
  queriesPassed = 0;
  /** Documents that upstream has sent for live queries. */
  changesRead = 0;
  /** Documents of live queries written to clients. */
  documents = 0;
  /** Changes that a client was too slow for, taken into a net change. */
  netChanges = 0;
}
