// The options of `livefold watch`.

import type { Address } from '../../proxy/upstream/address.ts';
import { address } from '../command/option-readers.ts';
import type { OptionRow } from '../command/option-table.ts';

/** The options of `watch`. */
export interface WatchValues {
  readonly connect: Address;
  readonly user: string;
  readonly passwordFile?: string;
  readonly db?: string;
  readonly tls?: boolean;
  readonly ca?: string;
}

/** The variable of the environment that a password can stand in: on a command line others of the machine would see it. */
export const PASSWORD_VARIABLE = 'LIVEFOLD_PASSWORD';

/** The options, in the order help shows them. They are the command's own, and no variables of the environment. */
export const WATCH_OPTIONS: readonly Omit<OptionRow, 'env'>[] = [
  {
    flags: '--connect <host:port>',
    description: 'the livefold, or RethinkDB, to ask',
    fallback: [{ host: '127.0.0.1', port: 28016 }, '127.0.0.1:28016'],
    read: (text) => address(text, 28016),
  },
  { flags: '--user <name>', description: 'the user', fallback: ['admin', 'admin'] },
  { flags: '--password-file <file>', description: 'the file that holds the password' },
  { flags: '--db <name>', description: 'the database of tables that name none (default: test)' },
  { flags: '--tls', description: 'speak TLS' },
  { flags: '--ca <file>', description: 'speak TLS, and trust these authorities in place of the system’s (PEM)' },
];
