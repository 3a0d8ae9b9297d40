// A mistake of the person who started the program.

/** Becomes one line on standard error, and `lines` below it, and exit code 2. */
export class UsageError extends Error {
  readonly lines: readonly string[];

  /** @param lines shown below the message, as they are: the place of the mistake in what was typed */
  constructor(message: string, lines: readonly string[] = []) {
    super(message);
    this.lines = lines;
  }
}

/** The failure of the system's call for listening on an address or reading a file, as one line. */
export function systemMistake(error: unknown, address: string): UsageError | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  const code = String(error.code);
  const what = mistakes.get(code) ?? (code.startsWith('ERR_OSSL') ? unusable : undefined);
  return what === undefined ? undefined : new UsageError(what(address, error.message));
}

type Mistake = (address: string, message: string) => string;

const unusable: Mistake = (_, message) => `cannot use a certificate: ${message}`;
const unreadable: Mistake = (_, message) => `cannot read a certificate: ${message}`;
const cannotListen: Mistake = (address, message) => `cannot listen on ${address}: ${message}`;

/** What a user did wrong, by the code of the system's error. */
const mistakes: ReadonlyMap<string, Mistake> = new Map<string, Mistake>([
  ['EADDRINUSE', (address) => `cannot listen on ${address}: the port is in use`],
  ['EACCES', cannotListen],
  ['EADDRNOTAVAIL', cannotListen],
  ['ENOTFOUND', cannotListen],
  ['EAI_AGAIN', cannotListen],
  ['ENOENT', unreadable],
  ['EISDIR', unreadable],
]);
