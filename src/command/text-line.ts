// A line of the log as text for people: the time, the level, what happened, and what it was about; below it, indented, the query
// and the places of a mistake.

import { pino } from 'pino';

/** Fields that have a place of their own. */
const PLACED: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'worker', 'query', 'stack', 'err']);
const WORD = /^[\w.:/@-]+$/;
const LEVEL_WIDTH = 5;
/** Where the time of day stands in a time of ISO 8601. */
const TIME_OF_DAY = [11, 23] as const;

/** The text of a line of JSON, with a newline at its end; what is no JSON, as it is. */
export function textLine(json: string): string {
  const fields = fieldsOf(json);
  if (fields === undefined) return json;
  const { level, time, msg, worker, query, stack, err } = fields;
  const head = [String(time).slice(...TIME_OF_DAY), levelOf(level), ...(worker === undefined ? [] : [`[${worker}]`])];
  const rest = Object.entries(fields).filter(([name]) => !PLACED.has(name));
  const line = [...head, msg, ...rest.map(([name, value]) => `${name}=${printed(value)}`)].join(' ');
  const below = [query, stack, textOfError(err)].filter((text): text is string => typeof text === 'string');
  const lines = below.flatMap((text) => text.split('\n')).map((text) => `    ${text.trim()}`);
  return [line, ...lines, ''].join('\n');
}

function fieldsOf(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** What pino's serializer of errors has made of one: the stack begins with the message. */
function textOfError(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return error;
  return 'stack' in error ? error.stack : JSON.stringify(error);
}

function levelOf(level: unknown): string {
  const label = typeof level === 'number' ? pino.levels.labels[level] : undefined;
  return (label ?? String(level)).toUpperCase().padEnd(LEVEL_WIDTH);
}

function printed(value: unknown): string {
  return typeof value === 'string' && WORD.test(value) ? value : JSON.stringify(value);
}
