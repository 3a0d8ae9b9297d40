// Replays the recorded facts against a server, whichever it is.

import { createRequire } from 'node:module';
import { type Agreement, canonical, promisesOrder, responseAgreement, sameBag } from './agreement.ts';
import type { FeedFact, LogEntry, QueryFact } from './fact.ts';
import { seedFeedTables } from './seed.ts';
import { type Address, WireClient, type WireResponse } from './wire-client.ts';

/** What a fact was answered with, and how well that agrees. */
export interface Replayed {
  readonly agreement: Agreement;
  readonly found: WireResponse;
}

export async function replayQuery(client: WireClient, fact: QueryFact): Promise<Replayed> {
  const found = await client.runAndStop(fact.ast);
  const ordered = promisesOrder(fact.ast);
  const first = responseAgreement(fact.res, found, ordered);
  const { stopped } = fact.res;
  if (first !== 'letter' || stopped === undefined || found.stopped === undefined) return { agreement: first, found };
  return { agreement: responseAgreement(stopped, found.stopped, ordered), found };
}

const r: unknown = createRequire(import.meta.url)('rethinkdb');

/** A write of a feed's script, as a term: the recorder wrote it as JavaScript ReQL. */
function writeTerm(reql: string): unknown {
  const term: unknown = new Function('r', `return ${reql}`)(r);
  // Terms of the official driver are functions.
  if (typeof term === 'function' && 'build' in term && typeof term.build === 'function') return term.build();
  throw new Error(`no term: ${reql}`);
}

/** A step of a feed's log: the write that began it, and all that was seen before the next. */
interface Step {
  readonly write: string | undefined;
  readonly responses: readonly WireResponse[];
}

function stepsOf(log: readonly LogEntry[]): readonly Step[] {
  const steps: { write: string | undefined; responses: WireResponse[] }[] = [{ write: undefined, responses: [] }];
  for (const entry of log) {
    if ('write' in entry) steps.push({ write: entry.write, responses: [] });
    else if ('open' in entry) steps.at(-1)?.responses.push(entry.open);
    else if ('batch' in entry) steps.at(-1)?.responses.push(entry.batch);
  }
  return steps;
}

const documentsOf = (responses: readonly WireResponse[]): readonly unknown[] =>
  responses.flatMap(({ t, r: rows }) => (t >= 16 ? [] : rows));

const endOf = (responses: readonly WireResponse[]): WireResponse | undefined => responses.find(({ t }) => t !== 3);

const SYNC_TOKEN = 2n;

/** Reads a feed by CONTINUE under one token, as the recorder did. */
class FeedReader {
  readonly #client: WireClient;
  readonly #token = 1n;
  #asked = false;
  ended = false;

  constructor(client: WireClient) {
    this.#client = client;
  }

  async open(ast: unknown): Promise<WireResponse> {
    this.#client.send(this.#token, [1, ast]);
    return this.#note(await this.#client.receive(this.#token));
  }

  /** Leaves a CONTINUE waiting at the server, as a driver does. */
  async ask(): Promise<void> {
    if (this.ended || this.#asked) return;
    this.#client.send(this.#token, [2]);
    this.#asked = true;
    // The answer to a later query says that the CONTINUE has been seen.
    this.#client.send(SYNC_TOKEN, [4]);
    await this.#client.receive(SYNC_TOKEN);
  }

  async next(deadline: number): Promise<WireResponse | undefined> {
    if (this.ended) return undefined;
    if (!this.#asked) this.#client.send(this.#token, [2]);
    this.#asked = true;
    try {
      const response = await this.#client.receive(this.#token, deadline);
      this.#asked = false;
      return this.#note(response);
    } catch {
      return undefined;
    }
  }

  /** The answer to a STOP; a CONTINUE that was still waiting is answered before it. */
  async stop(): Promise<WireResponse> {
    this.#client.send(this.#token, [3]);
    const first = await this.#client.receive(this.#token);
    if (!this.#asked) return first;
    return this.#client.receive(this.#token);
  }

  #note(response: WireResponse): WireResponse {
    if (response.t !== 3) this.ended = true;
    return response;
  }
}

const STEP_DEADLINE = 3000;
const SQUASH_DEADLINE = 1500;

/** Reads until a step has shown as many documents, and such an end, as were recorded. */
async function readStep(feed: FeedReader, first: readonly WireResponse[], expected: Step): Promise<WireResponse[]> {
  const responses = [...first];
  const due = documentsOf(expected.responses).length;
  const ends = endOf(expected.responses) !== undefined;
  while (documentsOf(responses).length < due || (ends && endOf(responses) === undefined)) {
    const response = await feed.next(STEP_DEADLINE);
    if (response === undefined) break;
    responses.push(response);
  }
  return responses;
}

function sameStep(expected: Step, found: readonly WireResponse[]): boolean {
  const ends = [endOf(expected.responses), endOf(found)];
  const [expectedEnd, foundEnd] = ends;
  if ((expectedEnd === undefined) !== (foundEnd === undefined)) return false;
  if (
    expectedEnd !== undefined &&
    foundEnd !== undefined &&
    responseAgreement(expectedEnd, foundEnd, false) !== 'letter'
  )
    return false;
  const notes = (responses: readonly WireResponse[]) => responses.map(({ n }) => canonical(n));
  const [note] = notes(expected.responses);
  if (note !== undefined && notes(found).some((other, at) => found[at]?.t === 3 && other !== note)) return false;
  return sameBag(documentsOf(expected.responses), documentsOf(found));
}

/** A feed squashed by time shows no promised documents; but what came less what went is the same however it is cut. */
function netOf(documents: readonly unknown[]): readonly string[] {
  const net = new Map<string, number>();
  const count = (value: unknown, by: number): void => {
    if (value === undefined || value === null) return;
    const key = canonical(value);
    net.set(key, (net.get(key) ?? 0) + by);
  };
  for (const document of documents) {
    if (typeof document !== 'object' || document === null) continue;
    if ('new_val' in document) count(document.new_val, 1);
    if ('old_val' in document) count(document.old_val, -1);
  }
  return [...net].flatMap(([key, times]) => (times === 0 ? [] : [`${times} ${key}`])).sort();
}

/** Whether a feed squashes by time, which the writes of a replay do not keep. */
const squashesByTime = (fact: FeedFact): boolean => /"squash":0\.\d/.test(JSON.stringify(fact.ast));

/** Runs a feed's script; the reason it differs from the record, or `undefined` where it agrees document by document. */
export async function replayFeed(address: Address, fact: FeedFact): Promise<string | undefined> {
  const [writer, reader] = [await WireClient.connect(address), await WireClient.connect(address)];
  try {
    await seedFeedTables(writer);
    for (const seed of fact.seed) await writer.run(writeTerm(seed));
    const feed = new FeedReader(reader);
    const steps = stepsOf(fact.log);
    const difference = squashesByTime(fact)
      ? await replaySquashed(writer, feed, fact, steps)
      : await replaySteps(writer, feed, fact, steps);
    if (difference !== undefined) return difference;
    const expected = fact.log.find((entry) => 'stop' in entry);
    const found = await feed.stop();
    if (expected === undefined || responseAgreement(expected.stop, found, false) === 'letter') return undefined;
    return `stopped with ${canonical(found)} instead of ${canonical(expected.stop)}`;
  } finally {
    writer.close();
    reader.close();
  }
}

async function replaySteps(
  writer: WireClient,
  feed: FeedReader,
  fact: FeedFact,
  steps: readonly Step[],
): Promise<string | undefined> {
  for (const [at, step] of steps.entries()) {
    if (step.write !== undefined) {
      await feed.ask();
      await writer.run(writeTerm(step.write));
    }
    const first = at === 0 ? [await feed.open(fact.ast)] : [];
    const found = await readStep(feed, first, step);
    if (!sameStep(step, found)) {
      return `after ${step.write ?? 'opening'}: ${canonical(found)} instead of ${canonical(step.responses)}`;
    }
  }
  return undefined;
}

async function replaySquashed(
  writer: WireClient,
  feed: FeedReader,
  fact: FeedFact,
  steps: readonly Step[],
): Promise<string | undefined> {
  const expected = steps.flatMap(({ responses }) => responses);
  const found = [await feed.open(fact.ast)];
  if (endOf(expected) !== undefined)
    return sameStep({ write: undefined, responses: expected }, found) ? undefined : 'end';
  const [opening] = steps;
  if (opening !== undefined) found.splice(0, 1, ...(await readStep(feed, found, opening)));
  for (const { write } of steps) if (write !== undefined) await writer.run(writeTerm(write));
  const net = canonical(netOf(documentsOf(expected)));
  while (canonical(netOf(documentsOf(found))) !== net) {
    const response = await feed.next(SQUASH_DEADLINE);
    if (response === undefined) return `ends at ${netOf(documentsOf(found))} instead of ${net}`;
    found.push(response);
  }
  return undefined;
}
