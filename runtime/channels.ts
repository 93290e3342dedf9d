/** Rejects subscriptions that this mode cannot deliver, at the start rather than at the first event. */

import type { ChannelDefinition } from '../adapters/channels/definition.ts';
import { channelRegistry } from '../adapters/channels/registry.ts';
import { UsageError } from '../core/model/errors.ts';
import type { Mode } from '../core/model/mode.ts';
import type { Subscription } from '../core/model/subscription.ts';
import type { Config } from './config/config.ts';
import { listNames } from './config/values.ts';

/**
 * @param pathOf the path of a subscription in its file, for the message
 */
export function assertDeliverable(
  { subscriptions, mail }: Pick<Config, 'subscriptions' | 'mail'>,
  mode: Mode,
  pathOf = (index: number) => `subscriptions[${index}].`,
): void {
  for (const [index, { name, to }] of subscriptions.entries()) {
    const { modes, needs } = channelRegistry.get(to.channel) ?? ANYWHERE;
    if (!modes.includes(mode)) throw awsOnlyError(to.channel, pathOf(index), name);
    // The same config is valid in AWS, where SES sends the mail.
    if (needs.includes('mail') && mode === 'embedded' && mail?.smtp === undefined) throw mailServerMissingError(name);
  }
}

/** Deliveries to a channel that this build does not know give up one by one. */
const ANYWHERE: Pick<ChannelDefinition, 'modes' | 'needs'> = { modes: ['embedded', 'aws'], needs: [] };

function awsOnlyError(channel: Subscription['to']['channel'], path: string, name: string): UsageError {
  const others = [...channelRegistry.values()].filter(({ modes }) => modes.includes('embedded'));
  return new UsageError(
    // No other channel needs AWS.
    'TIDINGS_BUS_IN_AWS_ONLY',
    `${path}to.${channel}: expected ${listNames(
      others.map((one) => one.name),
      'disjunction',
    )}: ${channel} is available only in AWS (subscription '${name}')`,
  );
}

function mailServerMissingError(name: string): UsageError {
  return new UsageError(
    'TIDINGS_MAIL_SERVER_MISSING',
    `mail.smtp: expected a server such as smtp://user:password@host:587, because subscription '${name}' sends mail, got nothing`,
  );
}
