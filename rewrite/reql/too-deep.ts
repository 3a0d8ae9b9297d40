// The error of what nests deeper than the stack of JavaScript holds.

import { ReqlError } from './error.ts';
import { ROOT } from './origin.ts';
import { ErrorType, ResponseType } from './protocol.ts';

/** RESOURCE_LIMIT: a query, or a value that it meets, is nested too deeply to be evaluated. */
export class TooDeep extends ReqlError {
  constructor(text = 'Query nesting depth limit exceeded.') {
    super(ResponseType.RUNTIME_ERROR, ErrorType.RESOURCE_LIMIT, text, ROOT);
  }
}
