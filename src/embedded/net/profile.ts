// The optarg `profile`: how long each term took, as a tree (profile.cc). Only terms outside of functions are told apart;
// what is evaluated per element is part of the term that does so.

import type { TermCompiler, TermTable } from '../../../rewrite/reql/eval/index.ts';
import { termName } from '../../../rewrite/reql/term/signatures.ts';
import { TermType } from '../../../rewrite/reql/term-type.ts';

/** A term that was evaluated, and the terms that were evaluated for it. */
interface Task {
  readonly description: string;
  duration: number;
  readonly tasks: Task[];
}

/** Terms whose names the server writes in capitals. */
const CAPITALS: ReadonlySet<number> = new Set<number>([
  TermType.ADD,
  TermType.SUB,
  TermType.MUL,
  TermType.DIV,
  TermType.EQ,
  TermType.NE,
  TermType.LT,
  TermType.LE,
  TermType.GT,
  TermType.GE,
]);

/** Measures the evaluations of one query. */
export class Profile {
  readonly #root: Task = { description: '', duration: 0, tasks: [] };
  #current = this.#root;

  /** The same terms, measured. */
  measured(terms: TermTable): TermTable {
    const entries = Object.entries(terms).map(([type, compiler]) => [
      type,
      compiler === undefined ? undefined : this.#measured(Number(type), compiler),
    ]);
    return Object.fromEntries(entries);
  }

  #measured(type: number, compiler: TermCompiler): TermCompiler {
    const name = termName(type) ?? String(type);
    const description = `Evaluating ${CAPITALS.has(type) ? name : name.toLowerCase()}.`;
    return (call, env) => {
      const { evalOrMissing, ...ready } = compiler(call, env);
      if (env.frame !== undefined) return evalOrMissing === undefined ? ready : { ...ready, evalOrMissing };
      return { ...ready, eval: (scope) => this.#time(description, () => ready.eval(scope)) };
    };
  }

  #time<Result>(description: string, work: () => Result): Result {
    const task: Task = { description, duration: 0, tasks: [] };
    const outer = this.#current;
    outer.tasks.push(task);
    this.#current = task;
    const start = performance.now();
    try {
      return work();
    } finally {
      task.duration = performance.now() - start;
      this.#current = outer;
    }
  }

  /** The body of a response with what has been measured since the last one put in, between backtrace and notes. */
  into(body: string): string {
    const notes = /,"n":\[[\d,]*\]\}$/.exec(body);
    const at = notes === null ? body.length - 1 : notes.index;
    const tasks = this.#root.tasks.splice(0).map(taskDocument);
    return `${body.slice(0, at)},"p":${JSON.stringify(tasks)}${body.slice(at)}`;
  }
}

function taskDocument({ description, duration, tasks }: Task): object {
  return { description, 'duration(ms)': duration, sub_tasks: tasks.map(taskDocument) };
}
