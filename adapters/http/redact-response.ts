/** Removes secrets from a response before anything reads or stores it: some receivers echo every header they get. */

import { hideSecrets } from '../../core/delivery/hide-secrets.ts';
import type { HttpResponse } from './http-transport.ts';

/** Leaves the headers as they are: they are never stored. */
export function redactResponse(response: HttpResponse, secrets: readonly string[]): HttpResponse {
  const { body, requestId } = response;
  return {
    ...response,
    body: hideSecrets(body, secrets),
    requestId: requestId === undefined ? undefined : hideSecrets(requestId, secrets),
  };
}
