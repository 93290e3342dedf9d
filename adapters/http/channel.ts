/** Posts events to HTTP endpoints as Standard Webhooks: signed, and judged by the status of the answer alone. */

import { signingKey, signWebhook } from '../../core/delivery/sign.ts';
import { GiveUp, RetryLater } from '../../core/model/errors.ts';
import { type HttpTarget, signingSecrets } from '../../core/model/subscription.ts';
import type { Channel, Receipt } from '../../core/ports/channel.ts';
import type { Secrets } from '../../core/ports/secrets.ts';
import { type Answer, openPoster, type PosterOptions, retryAfter } from './post.ts';

export interface HttpChannelOptions extends PosterOptions {
  readonly secrets: Secrets;
}

export interface HttpChannels {
  channelFor(target: HttpTarget): Channel;
  /** Lets go of idle connections. */
  close(): Promise<void>;
}

export function httpChannels({ secrets, ...options }: HttpChannelOptions): HttpChannels {
  const poster = openPoster(options);
  return {
    channelFor: (target) => ({
      async send({ subscription, events: [event], at }, signal) {
        const url = new URL(target.url);
        const body = JSON.stringify(event);
        const [secret = ''] = signingSecrets(subscription, target, at);
        const headers = {
          ...(await resolveHeaders(target.headers ?? {}, secrets)),
          'content-type': 'application/json',
          'user-agent': 'Tidings',
          ...signWebhook(event.id, at, body, signingKey(await secrets.resolve(secret))),
        };
        return judge(url, await poster.post(url, headers, body, signal));
      },
    }),
    close: () => poster.close(),
  };
}

async function resolveHeaders(headers: Readonly<Record<string, string>>, secrets: Secrets) {
  const resolved = Object.entries(headers).map(async ([name, value]) => [name, await secrets.resolve(value)] as const);
  return Object.fromEntries(await Promise.all(resolved));
}

/** Only 2xx is success. */
function judge(url: URL, answer: Answer): Receipt {
  const { status, body } = answer;
  const evidence = { status, body };
  if (status >= 200 && status < 300) return evidence;
  const message = `${url.host} answered ${status}`;
  if (status === 410)
    throw new GiveUp('TIDINGS_HTTP_GONE', `${message}: it wants no more of these`, { evidence, gone: true });
  throw new RetryLater('TIDINGS_HTTP_STATUS', message, { after: retryAfter(answer), evidence });
}
