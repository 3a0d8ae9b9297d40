// Makes the operators of joins and look-ups, each once for all who take of it. Nothing in them differs from group to group: the
// graphs of groups take of those of the graph around them.

import type { Elements, Join, Lookup, LookupJoin, PairJoin, Value } from '../../../rewrite/live.ts';
import type { Compile } from './compiled-functions.ts';
import type { Gauge } from './gauge.ts';
import type { Graph } from './graph.ts';
import type { GroupMember } from './groups.ts';
import { JoinedPairs } from './joined-pairs.ts';
import { LookedUp, type LookupSettings } from './looked-up.ts';
import type { ElementSink, LiveValue } from './operator.ts';
import { outermostShared } from './shared-values.ts';

/** What joins are made of. */
export interface JoinSettings {
  readonly graph: Graph;
  readonly gauge: Gauge;
  readonly compile: Compile;
  /** Lets a sink take elements. */
  readonly attach: (of: Elements, sink: ElementSink) => void;
  /** Makes a value that is one for all rows. */
  readonly value: (value: Value) => LiveValue;
  /** Makes the fold of the rows of one key. */
  readonly member: (value: Value, gauge: Gauge) => GroupMember;
}

/** The joins of a live query. */
export class JoinOperators {
  readonly #settings: JoinSettings;
  readonly #pairs = new Map<PairJoin, JoinedPairs>();
  readonly #lookedUp = new Map<LookupJoin, LookedUp>();

  constructor(settings: JoinSettings) {
    this.#settings = settings;
  }

  /** The operator of a join. */
  join(join: Join): JoinedPairs | LookedUp {
    return join.kind === 'pairs' ? this.pairs(join) : this.#lookup(join);
  }

  /** The pairs of a join. */
  pairs(join: PairJoin): JoinedPairs {
    const known = this.#pairs.get(join);
    if (known !== undefined) return known;
    const made = this.#makePairs(join);
    this.#pairs.set(join, made);
    return this.#settings.graph.add(made);
  }

  #lookup(join: LookupJoin): LookedUp {
    const known = this.#lookedUp.get(join);
    if (known !== undefined) return known;
    const made = this.#makeLookedUp(join);
    this.#lookedUp.set(join, made);
    return this.#settings.graph.add(made);
  }

  #makePairs({ keys, condition, consumers, left, right }: PairJoin): JoinedPairs {
    const { attach, compile, gauge } = this.#settings;
    const joined = new JoinedPairs(
      {
        keys,
        condition: condition === undefined ? undefined : compile(condition),
        consumers: consumers.map(({ pair, alone, unless }) => ({
          pair: compile(pair),
          alone: alone === undefined ? undefined : compile(alone),
          unless,
        })),
      },
      gauge,
    );
    attach(left, joined.left);
    attach(right, joined.right);
    return joined;
  }

  #makeLookedUp({ left, lookups, consumers }: LookupJoin): LookedUp {
    const { attach, compile, gauge } = this.#settings;
    const settings = lookups.map((lookup) => this.#lookupSettings(lookup));
    const made = new LookedUp(settings, consumers.map(compile), gauge);
    attach(left, made.left);
    for (const [at, lookup] of lookups.entries()) {
      const right = made.rights[at];
      if (lookup.kind === 'keyed' && right !== undefined) attach(lookup.of, right);
    }
    return made;
  }

  #lookupSettings(lookup: Lookup): LookupSettings {
    const { compile, member, value: shared } = this.#settings;
    if (lookup.kind === 'shared') return { kind: 'shared', value: shared(lookup.value) };
    const { key, keys, missingIsNone, each, value } = lookup;
    for (const inner of outermostShared(value)) shared(inner);
    return {
      kind: 'keyed',
      key: compile(key),
      keys,
      missingIsNone,
      each: compile(each),
      makeMember: (gauge) => member(value, gauge),
    };
  }
}
