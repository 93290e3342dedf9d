/**
 * Looks at where subscriptions send: whether their secrets are there, and whether name, address, certificate or login are
 * in order. Sends nothing, unless a ping is asked for.
 */

import { type SmtpTransport, smtpTransport } from '../../adapters/channels/email/smtp.ts';
import { ownHeaders } from '../../adapters/channels/http/headers.ts';
import { slackUrl } from '../../adapters/channels/slack/channel.ts';
import { type Probe, probeEndpoint } from '../../adapters/http/probe.ts';
import { signingKey } from '../../core/delivery/sign.ts';
import { errorMessage } from '../../core/model/errors.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import type { HttpTarget, Subscription, Target } from '../../core/model/subscription.ts';
import type { Clock } from '../../core/model/time.ts';
import type { Channel } from '../../core/ports/channel.ts';
import type { Secrets } from '../../core/ports/secrets.ts';
import type { Config } from '../config/config.ts';

export interface EndpointCheck {
  readonly subscription: string;
  /** Origin only: the rest may be secret. Empty when it could not be found out. */
  readonly url: string;
  readonly ok: boolean;
  readonly finding: string;
  /** How a ping went, as in 'the ping was …'; null when none was sent. */
  readonly ping: string | null;
}

export interface EndpointCheckOptions {
  readonly config: Pick<Config, 'network' | 'mail' | 'manage'>;
  readonly secrets: Secrets;
  readonly clock: Clock;
  /** Where pings go out. @default - none is sent, for it is a real request, message or mail */
  readonly channelFor?: (target: Target) => Channel;
}

type Found = Probe & Pick<EndpointCheck, 'url'>;

export function endpointCheck(options: EndpointCheckOptions): (subscription: Subscription) => Promise<EndpointCheck> {
  const { clock, channelFor } = options;
  let mailServer: Promise<Found> | undefined;

  const lookAt = ({ to }: Subscription): Promise<Found> => {
    if ('http' in to) return lookAtHttp(to.http, options);
    if ('slack' in to) return lookAtUrl(() => slackUrl(to.slack, options.secrets), options);
    // All mail takes the same way: one login is enough.
    mailServer ??= lookAtMailServer(options);
    return mailServer;
  };

  return async (subscription) => {
    const { name, to } = subscription;
    const found = await lookAt(subscription);
    if (channelFor === undefined || !found.ok) return { subscription: name, ...found, ping: null };
    const ping = await pingThrough(channelFor(to), subscription, clock);
    return { subscription: name, ...found, ok: ping.ok, ping: ping.finding };
  };
}

async function lookAtHttp(target: HttpTarget, options: EndpointCheckOptions): Promise<Found> {
  const resolve = (reference: string) => options.secrets.resolve(reference);
  const url = new URL(target.url);
  const found = await lookAtUrl(async () => {
    signingKey(await resolve(target.secret));
    await ownHeaders(target, resolve);
    return url;
  }, options);
  return { ...found, url: url.origin };
}

async function lookAtUrl(find: () => Promise<URL>, { config }: EndpointCheckOptions): Promise<Found> {
  try {
    const { origin } = await find();
    return { url: origin, ...(await probeEndpoint(origin, config.network.allow)) };
  } catch (error) {
    return bad(error);
  }
}

async function lookAtMailServer({ config: { mail, manage }, secrets }: EndpointCheckOptions): Promise<Found> {
  let transport: SmtpTransport | undefined;
  try {
    if (manage !== undefined) await secrets.resolve(manage.secret);
    transport = smtpTransport({ url: mail?.smtp ?? '', secrets });
    const { url, host, addresses } = await transport.verify();
    return { url, ok: true, finding: `${host} is ${addresses.join(', ')}, and lets us in` };
  } catch (error) {
    return bad(error);
  } finally {
    await transport?.close();
  }
}

const bad = (error: unknown): Found => ({ url: '', ok: false, finding: errorMessage(error) });

async function pingThrough(channel: Channel, subscription: Subscription, clock: Clock): Promise<Probe> {
  const at = clock.now();
  try {
    const { status } = await channel.send({
      subscription,
      events: [pingEvent(subscription.name, at)],
      delivery: `dlv_ping_${at.replace(/\D/g, '')}`,
      at,
      timeZone: 'UTC',
      mark: 'test',
    });
    return { ok: true, finding: `answered ${status ?? 'well'}` };
  } catch (error) {
    return { ok: false, finding: `not taken: ${errorMessage(error)}` };
  }
}

function pingEvent(name: string, time: string): TidingsEvent {
  const occurred = { after: null, before: time };
  return {
    specversion: '1.0',
    id: `evt_ping_${time.replace(/\D/g, '')}`,
    type: 'tidings.ping',
    source: '/tidings',
    subject: `subscription/${name}`,
    time,
    datacontenttype: 'application/json',
    data: {
      version: 1,
      record: { id: name, name },
      previous: {},
      changes: [],
      occurred,
      cause: 'poll',
      // People get it too, and read this in place of the type.
      details: { meaning: 'A ping to' },
    },
  };
}
