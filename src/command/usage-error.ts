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

/** What went wrong with the system's call for listening on an address or reading a file, as one line. */
export function systemMistake(error: unknown, address: string): UsageError | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  switch (error.code) {
    case 'EADDRINUSE':
      return new UsageError(`cannot listen on ${address}: the port is in use`);
    case 'EACCES':
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new UsageError(`cannot listen on ${address}: ${error.message}`);
    case 'ENOENT':
    case 'EISDIR':
      return new UsageError(`cannot read a certificate: ${error.message}`);
    default:
      return typeof error.code === 'string' && error.code.startsWith('ERR_OSSL')
        ? new UsageError(`cannot use a certificate: ${error.message}`)
        : undefined;
  }
}
