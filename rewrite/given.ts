// Checks of what a program gives to the library, where TypeScript does not look or was told not to: each mistake is a TypeError
// that names the call, what it takes, and what was found.

import { type AggregateDefinition, readDefinition } from './analyze/define-aggregate.ts';
import type { Plan } from './plan/choose-plan.ts';
import type { Datum } from './reql/data/datum.ts';
import type { StartQuery } from './reql/term/term.ts';
import type { IndexFields, IndexQuestion, KnownIndexes } from './sources/known-index.ts';

/** The settings that can be checked, of any call. */
interface GivenSettings {
  readonly indexes?: KnownIndexes | undefined;
  readonly aggregates?: readonly AggregateDefinition[] | undefined;
  readonly maxSteps?: number | undefined;
  readonly now?: Datum | undefined;
}

/** The beginning of a query on the wire: the number of its type, of which there are five. A term alone begins with another number. */
const QUERY_BEGINS = /^\s*\[\s*[1-5](?!\d)/;

/** @throws TypeError for what is no text that begins as a query does on the wire; what is wrong behind that the server tells */
export function checkText(call: string, query: unknown): void {
  if (typeof query === 'string' && QUERY_BEGINS.test(query)) return;
  throw new TypeError(
    `\`${call}\` takes a query as the wire's JSON, a text like '[1,[43,...]]'; found ${describe(query)}.`,
  );
}

/** The same for a call that takes a query that was parsed, too. */
export function checkQueryGiven(call: string, query: unknown): asserts query is string | StartQuery {
  const isParsed = isObject(query) && isObject(query['term']) && Array.isArray(query['globalOptargs']);
  if (!isParsed) checkText(call, query);
}

/** @throws TypeError for what is no array */
export function checkRows(call: string, rows: unknown): void {
  if (!Array.isArray(rows)) throw new TypeError(`\`${call}\` takes rows as an array; found ${describe(rows)}.`);
}

/**
 * Checks settings, and has the answers of `indexes` checked when they come: what is no answer would be taken for one.
 * @param names the settings that there are; any if absent
 * @throws TypeError for anything else
 */
export function checkSettings<Settings extends GivenSettings>(
  call: string,
  settings: Settings,
  names?: readonly string[],
): Settings {
  if (!isObject(settings))
    throw new TypeError(`The settings of \`${call}\` are an object; found ${describe(settings)}.`);
  const unknown = names && Object.keys(settings).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(`\`${call}\` has no setting \`${unknown}\`; it has ${names?.map(quoted).join(', ')}.`);
  }
  const { indexes, aggregates, maxSteps, now } = settings;
  const fault = (name: string, takes: string, found: unknown): TypeError =>
    new TypeError(`The setting \`${name}\` of \`${call}\` is ${takes}; found ${describe(found)}.`);
  if (maxSteps !== undefined && !(typeof maxSteps === 'number' && maxSteps >= 1)) {
    throw fault('maxSteps', 'a number of at least 1', maxSteps);
  }
  if (now !== undefined && !(isObject(now) && now['$reql_type$'] === 'TIME')) {
    throw fault('now', "a time as the wire has it, {$reql_type$: 'TIME', epoch_time: 0, timezone: '+00:00'}", now);
  }
  if (aggregates !== undefined) {
    if (!Array.isArray(aggregates)) throw fault('aggregates', 'an array of aggregates', aggregates);
    for (const definition of aggregates) readDefinition(definition);
  }
  if (indexes === undefined) return settings;
  if (typeof indexes !== 'function') throw fault('indexes', 'a function', indexes);
  return { ...settings, indexes: (question: IndexQuestion) => checkFields(indexes(question)) };
}

const PLANS: Readonly<Record<Plan, true>> = { auto: true, server: true, proxy: true };

/** @throws TypeError for what is no plan */
export function checkPlan(call: string, plan: unknown): void {
  if (typeof plan === 'string' && Object.hasOwn(PLANS, plan)) return;
  throw new TypeError(
    `\`${call}\` takes the plan ${Object.keys(PLANS).map(quoted).join(', ')}; found ${describe(plan)}.`,
  );
}

/** Something that was found in the place of something else, in words. */
export function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}...` : value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (isTsQuery(value)) return 'a query of `rethinkdb-ts`';
  if (isRethinkdbQuery(value)) return 'a query of `rethinkdb`';
  if (Array.isArray(value)) return 'an array';
  if (isObject(value) && typeof value['then'] === 'function') return 'a promise';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Whether it is a query of the driver `rethinkdb-ts`: a function with its term. */
export function isTsQuery<Query = unknown>(value: unknown): value is Query & { readonly term: unknown[] } {
  return typeof value === 'function' && 'term' in value && Array.isArray(value.term);
}

/** Whether it is a query of the driver `rethinkdb`: a function that builds its term. */
export function isRethinkdbQuery(value: unknown): boolean {
  return (typeof value === 'function' || isObject(value)) && 'build' in value && typeof value.build === 'function';
}

const FIELDS = "{fields: ['k'], compound: false, multi: false}, null where nobody can tell, or undefined";

function checkFields(found: IndexFields | null | undefined): IndexFields | null | undefined {
  if (found === null || found === undefined || isIndexFields(found)) return found;
  throw new TypeError(`The setting \`indexes\` returns ${FIELDS}; found ${describe(found)}.`);
}

function isIndexFields(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { fields, compound, multi, primaryKey } = value;
  const named = fields === null || (Array.isArray(fields) && fields.every((name) => typeof name === 'string'));
  const keyed = primaryKey === undefined || typeof primaryKey === 'string';
  return named && keyed && typeof compound === 'boolean' && typeof multi === 'boolean';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const quoted = (name: string): string => `\`${name}\``;
