/** Opens the API of a source whose token is read at first use, so that one without a token delays and stops no other source. */

import { type ResolveSecret, withSecrets } from '../adapters/secrets/with-secrets.ts';
import type { SourceClient } from '../adapters/sources/definition.ts';
import { sourceDefinition } from '../adapters/sources/registry.ts';
import { TidingsError } from '../core/model/errors.ts';
import type { Secrets } from '../core/ports/secrets.ts';
import type { SourceApi } from '../core/ports/source-api.ts';
import type { SourceConfig } from './config/config.ts';

export type OpenedSourceApi = SourceApi & Pick<SourceClient, 'close'>;

/** The API client with the current token. A rotated token is used once the cache expires, or at once if the old one is refused. */
export function openSourceApi(
  { kind, baseUrl, token: reference, quota: { perMinute }, stored }: SourceConfig,
  secrets: Pick<Secrets, 'resolve'>,
  random: () => number,
): OpenedSourceApi {
  const definition = sourceDefinition(kind);
  const allow = stored === undefined ? {} : { allow: stored.allow };
  let current: { readonly token: string; readonly api: SourceClient } | undefined;
  /** Requests made with earlier tokens. */
  let earlierRequests = 0;
  const open = async (resolve: ResolveSecret): Promise<SourceClient> => {
    const token = await resolve(reference);
    if (current?.token !== token) {
      earlierRequests += current?.api.requests() ?? 0;
      // Requests in flight with the old token may finish.
      void current?.api.close().catch(() => {});
      current = { token, api: await definition.open({ baseUrl, token, perMinute, random, ...allow }) };
    }
    return current.api;
  };
  const request = <Response>(send: (api: SourceClient) => Promise<Response>): Promise<Response> =>
    withSecrets(secrets, isUnauthorized, async (resolve) => send(await open(resolve)));
  return {
    traits: definition.traits,
    list: (...query) => request((api) => api.list(...query)),
    get: (...query) => request((api) => api.get(...query)),
    quota: (signal) => request((api) => api.quota(signal)),
    requests: () => earlierRequests + (current?.api.requests() ?? 0),
    tokenDigest: () => current?.api.tokenDigest?.(),
    close: async () => current?.api.close(),
  };
}

const isUnauthorized = (error: unknown) =>
  error instanceof TidingsError && error.code === 'TIDINGS_SOURCE_UNAUTHORIZED';
