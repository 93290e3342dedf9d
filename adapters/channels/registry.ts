/** Finds channels by name and opens their senders. Derived from the list in index.ts. */

import { withConsoleLinks } from '../../core/messages/link.ts';
import { GiveUp } from '../../core/model/errors.ts';
import { type Subscription, slackOwner, type Target } from '../../core/model/subscription.ts';
import type { Channel } from '../../core/ports/channel.ts';
import type { ChannelDefinition, Sender, SenderContext } from './definition.ts';
import { CHANNELS } from './index.ts';

export const channelRegistry: ReadonlyMap<string, ChannelDefinition> = new Map(
  CHANNELS.map((definition: ChannelDefinition) => [definition.name, definition]),
);

/** The display name of a target, without secrets. */
export function describeAddress({ channel, settings }: Target): string {
  return channelRegistry.get(channel)?.describeAddress(settings) ?? `${channel} (unknown channel)`;
}

/** The display name of the receiver. A channel that subscribed itself is named as people know it, not by its id. */
export function describeReceiver({ to, owner, madeBy }: Pick<Subscription, 'to' | 'owner' | 'madeBy'>): string {
  const { channel } = to.settings as { readonly channel?: unknown };
  const isOwnChannel = to.channel === 'slack' && typeof channel === 'string' && owner === slackOwner(channel);
  const known = isOwnChannel ? madeBy?.channelName : undefined;
  return describeAddress(known === undefined ? to : { ...to, settings: { ...to.settings, channel: known } });
}

/** The configured signing secret of a subscription; undefined when its channel does not sign. */
export function signingSecretOf({ to: { channel, settings } }: Pick<Subscription, 'to'>): string | undefined {
  return channelRegistry.get(channel)?.signingSecret(settings);
}

export interface Channels {
  channelFor(target: Target): Channel;
  /** Closes idle connections. */
  close(): Promise<void>;
}

/** Opens each sender at the first message of its channel. */
export function openChannels(given: SenderContext): Channels {
  const { config } = given;
  const context = { ...given, config: { ...config, links: withConsoleLinks(config.links, config.manage) } };
  const senders = new Map<string, Sender>();
  for (const [name, definition] of channelRegistry)
    senders.set(
      name,
      openLazily(() => definition.open(context)),
    );
  return {
    channelFor: ({ channel, settings }) => senders.get(channel)?.channelFor(settings) ?? unknownChannel(channel),
    close: async () => {
      await Promise.all([context.http.close(), ...[...senders.values()].map((sender) => sender.close())]);
    },
  };
}

/** After a failure, the next message tries to open the sender again. */
function openLazily(open: () => Promise<Sender>): Sender {
  let opening: Promise<Sender> | undefined;
  const getSender = () => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  return {
    channelFor: (settings) => ({
      send: async (message, signal) => (await getSender()).channelFor(settings).send(message, signal),
    }),
    close: async () => (await opening)?.close(),
  };
}

/** Gives up on deliveries of a subscription that another build stored. */
function unknownChannel(name: string): Channel {
  return {
    send: async () => {
      const names = [...channelRegistry.keys()].join(', ');
      throw new GiveUp(
        'TIDINGS_CHANNEL_UNKNOWN',
        `to.${name}: expected one of ${names}: this build has no such channel`,
      );
    },
  };
}
