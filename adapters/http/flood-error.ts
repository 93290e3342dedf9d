/** Why a connection is ended on which a server sends far more than its responses need. */

import { RetryLater } from '../../core/model/errors.ts';

export function floodError(host: string, reason: string): RetryLater {
  return new RetryLater('TIDINGS_HTTP_FLOOD', `${host} sent ${reason} instead of a response`);
}
