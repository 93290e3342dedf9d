/** Removes secrets from a response before anything reads or stores it: some receivers echo every header they get. */

import { hideSecrets } from '../../core/delivery/signing/hide-secrets.ts';
import { errorMessage, GiveUp, RetryLater } from '../../core/model/errors.ts';
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

/** A URL that is itself a secret, such as that of a webhook, and its secret parts: everything after the first path segment. */
export function urlSecrets({ href, pathname, search, searchParams }: URL): readonly string[] {
  const [, , ...parts] = pathname.split('/');
  return [href, `${pathname}${search}`, pathname, ...parts, ...searchParams.values()];
}

/** Runs a request, and removes the secrets from the message of its error: it may name the host, or where it redirects. */
export async function withoutSecrets<T>(secrets: readonly string[], request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    const message = errorMessage(error);
    const hidden = hideSecrets(message, secrets);
    if (hidden === message) throw error;
    if (error instanceof RetryLater) {
      throw new RetryLater(error.code, hidden, { after: error.after, evidence: error.evidence });
    }
    if (error instanceof GiveUp) throw new GiveUp(error.code, hidden, { evidence: error.evidence, gone: error.gone });
    throw new Error(hidden);
  }
}
