/** Refuses, at the start, subscriptions that this mode cannot deliver: the first event would be too late to find out. */

import type { ChannelDefinition } from '../adapters/channels/definition.ts';
import { channelRegistry } from '../adapters/channels/registry.ts';
import { UsageError } from '../core/model/errors.ts';
import type { Home } from '../core/model/home.ts';
import type { Subscription } from '../core/model/subscription.ts';
import type { Config } from './config/config.ts';
import { joinNames } from './config/values.ts';

/**
 * @param mail the config's section
 * @param place where the subscription is, for the message
 */
export function assertDeliverable(
  { subscriptions, mail }: Pick<Config, 'subscriptions' | 'mail'>,
  home: Home,
  place = (index: number) => `subscriptions[${index}].`,
): void {
  for (const [index, { name, to }] of subscriptions.entries()) {
    const { homes, needs } = channelRegistry.get(to.channel) ?? ANYWHERE;
    if (!homes.includes(home)) throw awsOnly(to.channel, place(index), name);
    // The same config is valid in AWS, where SES sends the mail.
    if (needs.includes('mail') && home === 'embedded' && mail?.smtp === undefined) throw mailServerMissing(name);
  }
}

/** Deliveries to a channel that this build does not know give up one by one. */
const ANYWHERE: Pick<ChannelDefinition, 'homes' | 'needs'> = { homes: ['embedded', 'aws'], needs: [] };

function awsOnly(channel: Subscription['to']['channel'], place: string, name: string): UsageError {
  const others = [...channelRegistry.values()].filter(({ homes }) => homes.includes('embedded'));
  return new UsageError(
    `TIDINGS_${channel.toUpperCase().replaceAll('-', '_')}_IN_AWS_ONLY`,
    `${place}to.${channel}: expected ${joinNames(
      others.map((one) => one.name),
      'disjunction',
    )}: ${channel} is reached from AWS only (subscription '${name}')`,
  );
}

function mailServerMissing(name: string): UsageError {
  return new UsageError(
    'TIDINGS_MAIL_SERVER_MISSING',
    `mail.smtp: expected a server such as smtp://user:password@host:587, because subscription '${name}' sends mail, got nothing`,
  );
}
