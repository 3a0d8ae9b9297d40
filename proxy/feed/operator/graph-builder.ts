// Builds the graph of a live query: an operator for each value, for all rows and for all groups in it, after what it reads. Those
// who take the end of the graph ask for that by its description; what is below follows.

import type { Accumulator } from '../../../rewrite/aggregates/aggregate.ts';
import type { Aggregated, Elements, Expressed, Grouped, Part, Reduced, Rows, Value } from '../../../rewrite/live.ts';
import type { EvalContext } from '../../../rewrite/reql/eval/index.ts';
import { AggregateValue, type Warn } from './aggregate-value.ts';
import { ArrangedValue } from './arranged-value.ts';
import { type Compile, compiledFunctions } from './compiled-functions.ts';
import { DistinctRows } from './distinct-rows.ts';
import { ElementOrders } from './element-orders.ts';
import { ExpressedValue } from './expressed-value.ts';
import { FlatRows } from './flat-rows.ts';
import { type Gauge, GaugePart } from './gauge.ts';
import { Graph } from './graph.ts';
import { AccumulatorMember, GraphMember } from './group-member.ts';
import { type GroupMember, Groups } from './groups.ts';
import { JoinOperators } from './join-operators.ts';
import { ListedRows } from './listed-rows.ts';
import type { ElementSink, LiveRows, LiveValue } from './operator.ts';
import { ReducedOutputs } from './reduced-outputs.ts';
import { projectionOf, RowElements } from './row-elements.ts';
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

/** Makes the operators of a live query, or of one group of it, each once. */
export class GraphBuilder {
  readonly graph = new Graph();
  readonly #settings: GraphSettings;
  readonly #values = new Map<Value, LiveValue>();
  readonly #rows = new Map<Rows, LiveRows>();
  readonly #groups = new Map<Grouped, Groups>();
  readonly #orders: ElementOrders;
  readonly #joins: JoinOperators;
  readonly #compile: Compile;
  readonly #warn: Warn;
  /** That of the graph around, where this one is for a group: it has the values that are the same for all groups. */
  readonly #around: GraphBuilder | undefined;

  constructor(settings: GraphSettings, around?: GraphBuilder) {
    const { context, gauge } = settings;
    this.#settings = settings;
    this.#around = around;
    this.#compile = around === undefined ? compiledFunctions(context) : around.#compile;
    // Not one of its own: operators keep it, and with it they would keep the builder of each group.
    this.#warn = around === undefined ? (warning) => settings.warn?.(warning) : around.#warn;
    this.#orders = new ElementOrders(gauge);
    this.#joins = around === undefined ? this.#ownJoins() : around.#joins;
  }

  #ownJoins(): JoinOperators {
    return new JoinOperators({
      graph: this.graph,
      gauge: this.#settings.gauge,
      compile: this.#compile,
      attach: (of, sink) => this.#attach(of, sink),
      value: (value) => this.value(value),
      member: (value, gauge) => this.#member(value, [], gauge),
    });
  }

  value(value: Value): LiveValue {
    const known = this.#values.get(value);
    if (known !== undefined) return known;
    if (this.#around !== undefined && !usesGroup(value)) return this.#around.value(value);
    const made = value.kind === 'aggregate' ? this.#aggregate(value) : this.#expression(value);
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
    return this.graph.add(groups);
  }

  /** The outputs of a client's reducer. */
  reduced({ of, grouped, reducer }: Reduced): ReducedOutputs {
    const call = this.#compile(reducer);
    const outputs = new ReducedOutputs({ call, grouped, origin: reducer.origin }, this.#settings.gauge);
    this.#attach(of, outputs);
    return this.graph.add(outputs);
  }

  #expression({ of, func }: Expressed): LiveValue {
    const inputs = of.map((input) => this.value(input));
    return this.graph.add(new ExpressedValue(inputs, this.#compile(func), this.#settings.gauge));
  }

  #aggregate(aggregated: Aggregated): LiveValue {
    const { aggregate, term, of } = aggregated;
    const reading = aggregate.arranged?.(term);
    if (reading !== undefined) {
      const order = this.#orders.of(of, reading, (made) => this.#attach(of, made));
      return this.graph.add(new ArrangedValue(order, reading));
    }
    const value = new AggregateValue(this.#accumulator(aggregated), this.#settings.gauge, this.#warn);
    this.#attach(of, value);
    return this.graph.add(value);
  }

  #accumulator({ aggregate, term }: Aggregated): Accumulator {
    return aggregate.accumulator(term, this.#settings.context);
  }

  #makeRows(rows: Rows): LiveRows {
    const { gauge } = this.#settings;
    switch (rows.kind) {
      case 'distinct': {
        const missed = rows.missed === undefined ? undefined : this.value(rows.missed);
        const distinct = new DistinctRows(gauge, missed);
        this.#attach(rows.of, distinct);
        return this.graph.add(distinct);
      }
      case 'ungroup':
        return new UngroupedRows(this.groups(rows.of));
      case 'top': {
        const top = new TopRows(rows, gauge);
        this.#attach(rows.of, top);
        return this.graph.add(top);
      }
      case 'flat':
        return this.graph.add(new FlatRows(this.value(rows.of)));
      case 'listed': {
        const listed = new ListedRows(gauge);
        this.#attach(rows.of, listed);
        return listed;
      }
    }
  }

  /** A group's fold. Most are a single aggregate over the group's elements, for which no graph is needed. */
  #member(value: Value, below: readonly Value[], whole: Gauge = this.#settings.gauge): GroupMember {
    const isAlone = value.kind === 'aggregate' && value.of.parts.every((part) => part.kind === 'group');
    if (isAlone && below.length === 0) {
      return new AccumulatorMember(this.#accumulator(value), whole, this.#warn);
    }
    const gauge = new GaugePart(whole);
    const builder = new GraphBuilder({ ...this.#settings, gauge }, this);
    return new GraphMember(
      builder.graph,
      builder.value(value),
      below.map((inner) => builder.value(inner)),
      gauge,
    );
  }

  /** Operators below have been added when their sink is. */
  #attach({ parts }: Elements, sink: ElementSink): void {
    for (const part of parts) this.#attachPart(part, sink);
  }

  #attachPart(part: Part, sink: ElementSink): void {
    switch (part.kind) {
      case 'source':
        this.graph.attachToSource(part.source, part.projection, sink);
        break;
      case 'rows':
        this.rows(part.rows).sinks.push(new RowElements(projectionOf(part.projection, this.#compile), sink));
        break;
      case 'group':
        this.graph.attachToGroup(sink);
        break;
      case 'failing':
        this.groups(part.of).failingSinks.push(sink);
        break;
      case 'join':
        this.#joins.join(part.join).sinks[part.consumer]?.push(sink);
        break;
      case 'incomparable':
        this.#joins.pairs(part.of).incomparableSinks.push(sink);
        break;
    }
  }
}
