// Builds the operators of a live query and runs them: changes of elements in, settled values and rows out.

import type { Accumulator, ArrangedReading } from '../../../rewrite/aggregates/aggregate.ts';
import type {
  Aggregated,
  Elements,
  Grouped,
  Join,
  Lookup,
  LookupJoin,
  PairJoin,
  Part,
  Reduced,
  Rows,
  Value,
} from '../../../rewrite/live.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { countedFunction, type PureFunction } from '../../../rewrite/reql/eval/core/pure-function.ts';
import type { EvalContext } from '../../../rewrite/reql/eval/index.ts';
import type { CallTerm } from '../../../rewrite/reql/term/term.ts';
import { type Turn, WHOLE_TURN } from '../../work/turn.ts';
import { AggregateValue, type Warn } from './aggregate-value.ts';
import { ArrangedValue, ElementOrder } from './arranged-value.ts';
import { DistinctRows } from './distinct-rows.ts';
import { ExpressedValue } from './expressed-value.ts';
import { FlatRows } from './flat-rows.ts';
import { type Gauge, GaugePart } from './gauge.ts';
import { AccumulatorMember, GraphMember } from './group-member.ts';
import { type GroupMember, Groups } from './groups.ts';
import { JoinedPairs } from './joined-pairs.ts';
import { ListedRows } from './listed-rows.ts';
import { LookedUp, type LookupSettings } from './looked-up.ts';
import type { ElementSink, LiveRows, LiveValue, Operator } from './operator.ts';
import { ReducedOutputs } from './reduced-outputs.ts';
import { type Projection, projectionOf, RowElements } from './row-elements.ts';
import { outermostShared, usesGroup } from './shared-values.ts';
import { TopRows } from './top-rows.ts';
import { UngroupedRows } from './ungrouped-rows.ts';
import { WholeAnswer } from './whole-answer.ts';

/** The settings of a graph. */
export interface GraphSettings {
  /** What functions of the client are evaluated with. */
  readonly context: EvalContext;
  readonly gauge: Gauge;
  /** Takes what is found wrong with a function of the client's; nobody does if absent. */
  readonly warn?: Warn;
}

/** The operators of a live query, or of one group of it. */
export class Graph implements Operator {
  readonly #settings: GraphSettings;
  /** In the order in which they depend on each other. */
  readonly #operators: Operator[] = [];
  /** How many of them have settled, where a turn was over before all had. */
  #settled = 0;
  readonly #values = new Map<Value, LiveValue>();
  readonly #rows = new Map<Rows, LiveRows>();
  readonly #groups = new Map<Grouped, Groups>();
  readonly #pairJoins = new Map<PairJoin, JoinedPairs>();
  readonly #lookupJoins = new Map<LookupJoin, LookedUp>();
  readonly #orders = new Map<string, ElementOrder>();
  /** Parts that are the same only where they are one object. */
  readonly #parts = new Map<Part, number>();
  readonly #functions: Map<CallTerm, PureFunction>;
  /** Source and consumer -> who takes its elements. */
  readonly #sources: ElementSink[][][] = [];
  /** Who takes the elements of the group that this graph is for. */
  readonly #group: ElementSink[] = [];
  /** The graph around this one, where this one is for a group: it has the values that are the same for all groups. */
  readonly #around: Graph | undefined;

  constructor(settings: GraphSettings, around?: Graph) {
    this.#settings = settings;
    this.#functions = around === undefined ? new Map() : around.#functions;
    this.#around = around;
  }

  readonly #warn: Warn = (warning) => this.#settings.warn?.(warning);

  /** A row of a source changed what it is to a consumer. */
  change(source: number, consumer: number, gone: readonly Datum[], come: readonly Datum[]): void {
    for (const sink of this.#sources[source]?.[consumer] ?? []) sink.change(gone, come);
  }

  /** The group that this graph is for has other elements. */
  changeGroup(gone: readonly Datum[], come: readonly Datum[]): void {
    for (const sink of this.#group) sink.change(gone, come);
  }

  /** Brings every value and all rows up to date, at once if no turn is given. */
  settle(turn: Turn = WHOLE_TURN): boolean {
    const operators = this.#operators;
    for (let at = this.#settled; at < operators.length; at++) {
      if (operators[at]?.settle(turn) !== false) continue;
      this.#settled = at;
      return false;
    }
    this.#settled = 0;
    return true;
  }

  value(value: Value): LiveValue {
    const known = this.#values.get(value);
    if (known !== undefined) return known;
    if (this.#around !== undefined && !usesGroup(value)) return this.#around.value(value);
    const made =
      value.kind === 'aggregate'
        ? this.#aggregate(value)
        : this.#add(
            new ExpressedValue(
              value.of.map((input) => this.value(input)),
              this.#compile(value.func),
              this.#settings.gauge,
            ),
          );
    this.#values.set(value, made);
    return made;
  }

  rows(rows: Rows): LiveRows {
    const known = this.#rows.get(rows);
    if (known !== undefined) return known;
    const made = this.#makeRows(rows);
    this.#rows.set(rows, made);
    return made;
  }

  groups(grouped: Grouped): Groups {
    const known = this.#groups.get(grouped);
    if (known !== undefined) return known;
    const { value, defaults } = grouped;
    const below = defaults.map((given) => given.below);
    // The values that all groups share have to be there before the first group is.
    const shared = [value, ...below].flatMap(outermostShared).map((inner) => this.value(inner));
    const missed = grouped.missed === undefined ? undefined : this.value(grouped.missed);
    const makeMember = (): GroupMember => this.#member(value, below);
    // What no group can be computed with is known before there is a group.
    makeMember().close();
    const whole = new WholeAnswer(
      defaults.map(({ func, of }) => ({
        compute: this.#compile(func),
        inputs: of.map((inner) => this.value(inner)),
      })),
    );
    const groups = new Groups({ makeMember, shared, missed, whole }, this.#settings.gauge);
    this.#attach(grouped.of, groups);
    this.#groups.set(grouped, groups);
    return this.#add(groups);
  }

  /** The outputs of a client's reducer. */
  reduced({ of, grouped, reducer }: Reduced): ReducedOutputs {
    const call = this.#compile(reducer);
    const outputs = new ReducedOutputs({ call, grouped, origin: reducer.origin }, this.#settings.gauge);
    this.#attach(of, outputs);
    return this.#add(outputs);
  }

  #makeRows(rows: Rows): LiveRows {
    const { gauge } = this.#settings;
    switch (rows.kind) {
      case 'distinct': {
        const missed = rows.missed === undefined ? undefined : this.value(rows.missed);
        const distinct = new DistinctRows(gauge, missed);
        this.#attach(rows.of, distinct);
        return this.#add(distinct);
      }
      case 'ungroup':
        return new UngroupedRows(this.groups(rows.of));
      case 'top': {
        const top = new TopRows(rows, gauge);
        this.#attach(rows.of, top);
        return this.#add(top);
      }
      case 'flat':
        return this.#add(new FlatRows(this.value(rows.of)));
      case 'listed': {
        const listed = new ListedRows(gauge);
        this.#attach(rows.of, listed);
        return listed;
      }
    }
  }

  #aggregate(aggregated: Aggregated): LiveValue {
    const { aggregate, term, of } = aggregated;
    const reading = aggregate.arranged?.(term);
    if (reading !== undefined) return this.#add(new ArrangedValue(this.#order(of, reading), reading));
    const value = new AggregateValue(this.#accumulator(aggregated), this.#settings.gauge, this.#warn);
    this.#attach(of, value);
    return this.#add(value);
  }

  /** The order of elements, one for all who read the same. */
  #order(of: Elements, { form }: ArrangedReading): ElementOrder {
    const name = JSON.stringify([form, of.parts.map((part) => this.#nameOf(part))]);
    const known = this.#orders.get(name);
    if (known !== undefined) return known;
    const order = new ElementOrder(form, this.#settings.gauge);
    this.#attach(of, order);
    this.#orders.set(name, order);
    return order;
  }

  #accumulator({ aggregate, term }: Aggregated): Accumulator {
    return aggregate.accumulator(term, this.#settings.context);
  }

  /** A text for where elements come from: the same for two parts that give the same. */
  #nameOf(part: Part): string {
    switch (part.kind) {
      case 'source':
        return `source ${part.source} ${part.projection}`;
      case 'group':
        return 'group';
      case 'rows':
      case 'failing':
      case 'join':
      case 'incomparable':
        return `${part.kind} ${this.#numberOf(part)}`;
    }
  }

  #numberOf(part: Part): number {
    const number = this.#parts.get(part) ?? this.#parts.size;
    this.#parts.set(part, number);
    return number;
  }

  /** Operators below have been added when their sink is. */
  #attach({ parts }: Elements, sink: ElementSink): void {
    for (const part of parts) this.#attachPart(part, sink);
  }

  #attachPart(part: Part, sink: ElementSink): void {
    switch (part.kind) {
      case 'source': {
        this.#sources[part.source] ??= [];
        const consumers = this.#sources[part.source] ?? [];
        consumers[part.projection] ??= [];
        consumers[part.projection]?.push(sink);
        break;
      }
      case 'rows':
        this.rows(part.rows).sinks.push(new RowElements(this.#projection(part.projection), sink));
        break;
      case 'group':
        this.#group.push(sink);
        break;
      case 'failing':
        this.groups(part.of).failingSinks.push(sink);
        break;
      case 'join':
        this.#join(part.join).sinks[part.consumer]?.push(sink);
        break;
      case 'incomparable':
        this.#pairs(part.of).incomparableSinks.push(sink);
        break;
    }
  }

  /** A join, one for all who take of it. Nothing in it differs from group to group. */
  #join(join: Join): JoinedPairs | LookedUp {
    return join.kind === 'pairs' ? this.#pairs(join) : this.#lookedUp(join);
  }

  #pairs(join: PairJoin): JoinedPairs {
    if (this.#around !== undefined) return this.#around.#pairs(join);
    const known = this.#pairJoins.get(join);
    if (known !== undefined) return known;
    const made = this.#makePairs(join);
    this.#pairJoins.set(join, made);
    return this.#add(made);
  }

  #lookedUp(join: LookupJoin): LookedUp {
    if (this.#around !== undefined) return this.#around.#lookedUp(join);
    const known = this.#lookupJoins.get(join);
    if (known !== undefined) return known;
    const made = this.#makeLookedUp(join);
    this.#lookupJoins.set(join, made);
    return this.#add(made);
  }

  #makePairs(join: PairJoin): JoinedPairs {
    const { keys, condition, consumers } = join;
    const joined = new JoinedPairs(
      {
        keys,
        condition: condition === undefined ? undefined : this.#compile(condition),
        consumers: consumers.map(({ pair, alone, unless }) => ({
          pair: this.#compile(pair),
          alone: alone === undefined ? undefined : this.#compile(alone),
          unless,
        })),
      },
      this.#settings.gauge,
    );
    this.#attach(join.left, joined.left);
    this.#attach(join.right, joined.right);
    return joined;
  }

  #makeLookedUp({ left, lookups, consumers }: LookupJoin): LookedUp {
    const settings = lookups.map((lookup) => this.#lookup(lookup));
    const made = new LookedUp(
      settings,
      consumers.map((consumer) => this.#compile(consumer)),
      this.#settings.gauge,
    );
    this.#attach(left, made.left);
    for (const [at, lookup] of lookups.entries()) {
      const right = made.rights[at];
      if (lookup.kind === 'keyed' && right !== undefined) this.#attach(lookup.of, right);
    }
    return made;
  }

  #lookup(lookup: Lookup): LookupSettings {
    if (lookup.kind === 'shared') return { kind: 'shared', value: this.value(lookup.value) };
    const { key, keys, missingIsNone, each, value } = lookup;
    for (const shared of outermostShared(value)) this.value(shared);
    return {
      kind: 'keyed',
      key: this.#compile(key),
      keys,
      missingIsNone,
      each: this.#compile(each),
      makeMember: (gauge) => this.#member(value, [], gauge),
    };
  }

  /** A group's fold. Most are a single aggregate over the group's elements, for which no graph is needed. */
  #member(value: Value, below: readonly Value[], whole: Gauge = this.#settings.gauge): GroupMember {
    const isAlone = value.kind === 'aggregate' && value.of.parts.every((part) => part.kind === 'group');
    if (isAlone && below.length === 0) {
      return new AccumulatorMember(this.#accumulator(value), whole, this.#warn);
    }
    const gauge = new GaugePart(whole);
    const graph = new Graph({ ...this.#settings, gauge }, this);
    return new GraphMember(
      graph,
      graph.value(value),
      below.map((inner) => graph.value(inner)),
      gauge,
    );
  }

  #projection(func: CallTerm): Projection {
    return projectionOf(func, (inner) => this.#compile(inner));
  }

  #compile(func: CallTerm): PureFunction {
    const known = this.#functions.get(func);
    if (known !== undefined) return known;
    const made = countedFunction(func, this.#settings.context);
    this.#functions.set(func, made);
    return made;
  }

  #add<Made extends Operator>(operator: Made): Made {
    this.#operators.push(operator);
    return operator;
  }
}
