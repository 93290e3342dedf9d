/**
 * Checks the receivers of subscriptions: whether their secrets exist, and whether name, address, certificate and login are
 * in order. Sends nothing, unless a ping is requested.
 */

import type { ChannelConfig, ProbeResult, ReceiverProbe } from '../../adapters/channels/definition.ts';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import { errorMessage } from '../../core/model/errors.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import type { Subscription, Target } from '../../core/model/subscription.ts';
import type { Clock } from '../../core/model/time.ts';
import type { Channel } from '../../core/ports/channel.ts';
import type { Secrets } from '../../core/ports/secrets.ts';

export interface EndpointCheck {
  readonly subscription: string;
  /** Origin only: the rest may be secret. Empty when it could not be determined. */
  readonly url: string;
  readonly ok: boolean;
  readonly finding: string;
  /** The result of a ping, such as `accepted with 204`; null when none was sent. */
  readonly ping: string | null;
}

export interface EndpointCheckOptions {
  readonly config: ChannelConfig;
  readonly secrets: Secrets;
  readonly clock: Clock;
  /** Sends pings. @default - no ping is sent, because it is a real request, message or mail */
  readonly channelFor?: (target: Target) => Channel;
}

export function endpointCheck(options: EndpointCheckOptions): (subscription: Subscription) => Promise<EndpointCheck> {
  const { clock, channelFor } = options;
  const probes = new Map<string, Promise<ReceiverProbe> | undefined>();

  const probeTarget = async ({ channel, settings }: Target): Promise<ProbeResult> => {
    const opening = probes.get(channel) ?? channelRegistry.get(channel)?.openProbe(options);
    probes.set(channel, opening);
    const probe = await opening;
    return probe?.probe(settings) ?? { url: '', ok: false, finding: `this build has no channel '${channel}'` };
  };

  return async (subscription) => {
    const { name, to } = subscription;
    const result = await probeTarget(to);
    if (channelFor === undefined || !result.ok) return { subscription: name, ...result, ping: null };
    const ping = await sendPing(channelFor(to), subscription, clock);
    return { subscription: name, ...result, ok: ping.ok, ping: ping.finding };
  };
}

async function sendPing(channel: Channel, subscription: Subscription, clock: Clock): Promise<Omit<ProbeResult, 'url'>> {
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
    return { ok: true, finding: status === undefined ? 'accepted' : `accepted with ${status}` };
  } catch (error) {
    return { ok: false, finding: `not accepted: ${errorMessage(error)}` };
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
      // Messages to people show this text instead of the type.
      details: { meaning: 'A ping to' },
    },
  };
}
