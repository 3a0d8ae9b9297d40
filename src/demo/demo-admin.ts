// The demo has an admin server, so that there is a page to look at.

import type { Address } from '../../proxy/upstream/address.ts';
import type { OptionValues } from '../command/option-table.ts';

/** The options with an admin server where the demo is asked for, and none else: on this machine, beside the proxy's port. */
export function withDemoAdmin<Values extends Pick<OptionValues, 'demo' | 'admin' | 'listen'>>(values: Values): Values {
  if (values.demo !== true || values.admin !== undefined) return values;
  const { port } = values.listen;
  const admin: Address = { host: '127.0.0.1', port: port === 0 ? 0 : port + 1 };
  return { ...values, admin };
}
