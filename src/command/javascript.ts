// Runs ReQL that is written as JavaScript, as programs have it. The text is parsed first, so that its mistakes can be shown where
// they stand, and so that JavaScript's own operators, which know nothing of ReQL, do not pass silently: of `x('a') && y` only `y`
// would be left, whatever `a` is.

import { type Expression, type ModuleDeclaration, type Program, parse, type Statement } from 'acorn';
import { isTerm, makeR, type R } from '../../rewrite/reql/build/r.ts';
import { signatures } from '../../rewrite/reql/term/signatures.ts';
import { excerpt } from './excerpt.ts';
import { Instrumented, type Site } from './instrumented.ts';
import { distance, nearest } from './nearest.ts';
import { UsageError } from './usage-error.ts';

/**
 * What a text stands for: the value of its last statement, without `const feed = await` before it and `.run(conn)` after it.
 * Throws UsageError for a text that cannot be read, or fails when it runs.
 */
export function runJavaScript(text: string): unknown {
  const { body } = parsed(text);
  const last = body.at(-1);
  const query = last === undefined ? undefined : queryIn(last);
  if (query === undefined) throw new UsageError('there is no query');
  try {
    const code = new Instrumented(text, 'check');
    const before = body.slice(0, -1).map((statement) => code.of(statement));
    const run = new Function('r', 'check', `${before.join('\n')}\nreturn (${code.of(query)}\n);`);
    const r = makeR();
    return run(r, (site: number, value: unknown) => {
      const fault = faultOf(code.sites[site], value, r);
      if (fault !== undefined) throw mistake(text, ...fault);
      return value;
    });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const reason =
      error instanceof RangeError ? 'it is nested too deeply' : error instanceof Error ? error.message : error;
    throw new UsageError(`cannot read the query: ${reason}`);
  }
}

function parsed(text: string): Program {
  try {
    return parse(text, { ecmaVersion: 'latest', allowReturnOutsideFunction: true, allowAwaitOutsideFunction: true });
  } catch (error) {
    if (error instanceof SyntaxError && 'pos' in error && typeof error.pos === 'number') {
      const what = error.message.replace(/ \(\d+:\d+\)$/, '');
      throw mistake(text, error.pos >= text.trimEnd().length ? `${what}: the text ends too early` : what, error.pos);
    }
    throw error instanceof RangeError ? new UsageError('cannot read the query: it is nested too deeply') : error;
  }
}

function mistake(text: string, what: string, offset: number): UsageError {
  return new UsageError(`cannot read the query: ${what}`, excerpt(text, Math.min(offset, text.trimEnd().length)));
}

/** The expression of a statement, less what a program does with a query. */
function queryIn(statement: Statement | ModuleDeclaration): Expression | undefined {
  if (statement.type === 'ExpressionStatement') return bare(statement.expression);
  if (statement.type === 'ReturnStatement') return bare(statement.argument);
  if (statement.type === 'VariableDeclaration') return bare(statement.declarations.at(-1)?.init);
  return undefined;
}

const RUNS: ReadonlySet<string> = new Set(['run', 'getCursor', 'then', 'catch']);

function bare(expression: Expression | null | undefined): Expression | undefined {
  if (expression?.type === 'AwaitExpression') return bare(expression.argument);
  if (expression?.type === 'CallExpression' && expression.callee.type === 'MemberExpression') {
    const { object, property } = expression.callee;
    if (property.type === 'Identifier' && RUNS.has(property.name) && object.type !== 'Super') return bare(object);
  }
  return expression ?? undefined;
}

/** What is wrong with a value where it stands, and where that is. */
function faultOf(site: Site | undefined, value: unknown, r: R): readonly [what: string, offset: number] | undefined {
  if (site === undefined) return undefined;
  if (site.kind === 'operand') {
    if (!isTerm(value)) return undefined;
    return [`JavaScript's \`${site.operator}\` knows no ReQL. Write \`${site.instead}\``, site.offset];
  }
  if (value !== r && !isTerm(value)) return undefined;
  if (typeof Reflect.get(Object(value), site.name) === 'function') return undefined;
  const owner = value === r ? 'r' : '';
  const meant = nearest(site.name, methodsOf(value));
  const isSlip = distance(site.name, meant) <= MOST_SLIPS;
  const advice = value === r ? '' : `. A field is read with \`('${site.name}')\``;
  return [
    `there is no \`${owner}.${site.name}\` in ReQL${isSlip ? `: did you mean \`${owner}.${meant}\`?` : advice}`,
    site.offset,
  ];
}

/** Letters that are wrong in a word that was meant: two that are exchanged, or one. */
const MOST_SLIPS = 2;

/** The words of ReQL that may stand after a value. */
function methodsOf(value: unknown): readonly string[] {
  const names = Object.values(signatures).map(({ driver }) => driver);
  return names.filter((name) => typeof Reflect.get(Object(value), name) === 'function');
}
