/**
 * Posts events to HTTP endpoints as signed Standard Webhooks. Only the status of the response decides about success; the
 * core decides about retries.
 */

import { type SigningKey, signingKey, signWebhook } from '../../../core/delivery/signing/sign.ts';
import type { Links } from '../../../core/messages/link.ts';
import { renderSubscriptionTemplate } from '../../../core/messages/subscription-template.ts';
import { GiveUp, RetryLater } from '../../../core/model/errors.ts';
import { signingSecrets } from '../../../core/model/subscription.ts';
import type { Instant } from '../../../core/model/time.ts';
import type { Channel, Receipt } from '../../../core/ports/channel.ts';
import { SECRET_DENIED, type Secrets } from '../../../core/ports/secrets.ts';
import type { HttpResponse, HttpTransport } from '../../http/http-transport.ts';
import { redactResponse, withoutSecrets } from '../../http/redact-response.ts';
import { readRedirectOrigin, readRetryAfter } from '../../http/response-headers.ts';
import { USER_AGENT } from '../../http/user-agent.ts';
import { type ResolveSecret, withSecrets } from '../../secrets/with-secrets.ts';
import { type ResolvedAddress, resolveAddress } from './address.ts';
import { hasOwnHeaders, NO_HEADERS, ownHeaders } from './headers.ts';
import { httpBody } from './http-body.ts';
import type { HttpSettings } from './settings.ts';
import { HTTP_TEMPLATE_PARTS } from './template-parts.ts';

export interface HttpChannelOptions {
  readonly http: HttpTransport;
  readonly secrets: Secrets;
  /** Link templates of the config, for thin bodies. @default - no links */
  readonly links?: Links;
}

export interface HttpChannels {
  channelFor(target: HttpSettings): Channel;
}

export function httpChannels({ http, secrets, links = {} }: HttpChannelOptions): HttpChannels {
  /** Addresses without variables. */
  const addresses = new WeakMap<HttpSettings, ResolvedAddress>();
  const addressOf = async (target: HttpSettings, resolve: ResolveSecret): Promise<ResolvedAddress> => {
    const address = await resolveAddress(target.url, resolve);
    if (address.secrets.length === 0) addresses.set(target, address);
    return address;
  };
  return {
    channelFor: (target) => ({
      async send(message, signal) {
        const rendered =
          message.subscription.template === undefined
            ? undefined
            : await renderSubscriptionTemplate(message, { links, parts: HTTP_TEMPLATE_PARTS });
        const body =
          rendered?.values.body === undefined
            ? httpBody(message, target.format, links)
            : JSON.stringify(rendered.values.body);
        const receipt = await withSecrets(secrets, isUnauthorized, async (resolve) => {
          const address = addresses.get(target) ?? (await addressOf(target, resolve));
          const own = hasOwnHeaders(target) ? await ownHeaders(target, resolve) : NO_HEADERS;
          const [current = target.secret, ...previous] = signingSecrets(
            message.subscription,
            target.secret,
            message.at,
          );
          const key = signingKey(await resolve(current));
          const keys = previous.length === 0 ? [] : await resolvePreviousKeys(previous, resolve);
          const headers = {
            'user-agent': USER_AGENT,
            ...(message.traceparent === undefined ? {} : { traceparent: message.traceparent }),
            ...own.headers,
            'content-type': target.contentType ?? 'application/json',
            ...(message.mark === undefined ? {} : { [`tidings-${message.mark}`]: 'true' }),
            ...signWebhook(message.events[0].id, message.at, body, [key, ...keys]),
          };
          const { url } = address;
          const echoed = [...address.secrets, ...own.secrets];
          return withoutSecrets(echoed, async () => {
            const response = await http.post(url, headers, body, signal, undefined, message.subscription.owner);
            return interpretResponse(url, redactResponse(response, echoed), message.at);
          });
        });
        return rendered?.problem === undefined ? receipt : { ...receipt, remark: rendered.problem };
      },
    }),
  };
}

/** The cached secret of the login or the signature may be outdated. */
function isUnauthorized(error: unknown): boolean {
  return error instanceof RetryLater && [401, 403].includes(error.evidence.status ?? 0);
}

/** A previous secret may already be deleted, or unreadable because the config no longer refers to it: it is skipped. */
async function resolvePreviousKeys(
  references: readonly string[],
  resolve: ResolveSecret,
): Promise<readonly SigningKey[]> {
  const keys = references.map(async (reference) => {
    try {
      return signingKey(await resolve(reference));
    } catch (error) {
      if (error instanceof GiveUp || (error instanceof RetryLater && error.code === SECRET_DENIED)) return undefined;
      throw error;
    }
  });
  return (await Promise.all(keys)).filter((key) => key !== undefined);
}

/** Only 2xx is success. */
function interpretResponse(url: URL, { headers, ...response }: HttpResponse, at: Instant): Receipt {
  const { status } = response;
  if (status >= 200 && status < 300) return response;
  const message = `${status} from ${url.host}`;
  if (status === 410) {
    throw new GiveUp('TIDINGS_HTTP_GONE', `410 Gone from ${url.host}; subscription disabled`, {
      evidence: response,
      gone: true,
    });
  }
  const origin = status >= 300 && status < 400 ? readRedirectOrigin(headers, url) : undefined;
  const hint = origin === undefined ? '' : `: it redirects to ${origin}, and redirects are not followed`;
  throw new RetryLater('TIDINGS_HTTP_STATUS', `${message}${hint}`, {
    after: readRetryAfter(headers, at),
    evidence: response,
  });
}
