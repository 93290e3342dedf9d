/** Which subscriptions belong to a channel: those that it made, and those of others that post there. */

import {
  isSentByApp,
  type SlackBotSettings,
  type SlackPersonalSettings,
  type SlackSettings,
} from '../../adapters/channels/slack/settings.ts';
import { UsageError } from '../../core/model/errors.ts';
import { isExpired, type Subscription, slackOwner } from '../../core/model/subscription.ts';
import { isDirectMessage } from './authority.ts';
import { readOwnIdentity } from './own-identity.ts';
import type { SlackPorts } from './slack-ports.ts';
import type { SlackPlace } from './slack-request.ts';

/** Whether the subscription was made in this channel, and posts there: an operator may give it to another receiver. */
export function isOfChannel({ owner, declared, to }: Subscription, channel: string): boolean {
  if (declared || owner !== slackOwner(channel) || to.channel !== 'slack') return false;
  const settings = to.settings as Partial<SlackBotSettings>;
  // Another token may be of another workspace. Subscriptions that are made in Slack have none.
  return settings.channel === channel && settings.token === undefined;
}

/** Whether it still posts where it was made in Slack. */
export const isWhereMade = (subscription: Subscription) =>
  isOfChannel(subscription, subscription.owner?.slice(slackOwner('').length) ?? '');

/** Throws for a subscription that was not made in this channel, or posts elsewhere now. */
export function assertOfChannel(subscription: Subscription, channel: string): void {
  if (isOfChannel(subscription, channel)) return;
  const message = `subscription '${subscription.name}' is of another channel`;
  throw new UsageError('TIDINGS_SLACK_OTHER_CHANNEL', message);
}

/** The subscriptions that this channel made and that have not ended, sorted by name. In a thread those of the thread, else those of the channel. */
export async function findOwn(
  { subscriptions, clock }: Pick<SlackPorts, 'subscriptions' | 'clock'>,
  { channel, thread }: Pick<SlackPlace, 'channel' | 'thread'>,
): Promise<readonly Subscription[]> {
  const now = clock.now();
  const own = (await subscriptions.list()).filter((one) => isOfChannel(one, channel) && !isExpired(one, now));
  return thread === undefined ? own : own.filter((one) => threadOf(one) === thread);
}

function threadOf({ to }: Subscription): string | undefined {
  return (to.settings as { readonly thread?: string }).thread;
}

/** A place with the name of its channel. */
export type NamedPlace = Pick<SlackPlace, 'channel' | 'channelName' | 'user' | 'thread'>;

/**
 * Subscriptions that the app posts to this channel and that it did not make: of the config, the API, the console or a command. The
 * channel of an incoming webhook is known to Slack alone.
 */
export async function findOthers(ports: SlackPorts, place: NamedPlace): Promise<readonly Subscription[]> {
  const now = ports.clock.now();
  const names = await listNames(ports, place);
  return (await ports.subscriptions.list()).filter(
    (one) => !isOfChannel(one, place.channel) && !isExpired(one, now) && isNamedBy(ports, one, place, names),
  );
}

/** The subscription of a message, if there is one of this name that has not ended. It may post elsewhere. */
export async function findNamed(
  { subscriptions, clock }: Pick<SlackPorts, 'subscriptions' | 'clock'>,
  name: string,
): Promise<Subscription | undefined> {
  const stored = await subscriptions.get(name);
  return stored === undefined || isExpired(stored, clock.now()) ? undefined : stored;
}

/** Whether the app itself posts it. The members and channels that another token or API means may be those of another workspace. */
export function isSentByOwnApp({ config }: Pick<SlackPorts, 'config'>, { to }: Subscription): boolean {
  return to.channel === 'slack' && isSentByApp(to.settings as SlackSettings, config.slack);
}

/** Whether messages of the subscription may appear in this place. In a thread, only those of the thread. */
export async function isPostingTo(ports: SlackPorts, subscription: Subscription, place: NamedPlace): Promise<boolean> {
  return isNamedBy(ports, subscription, place, await listNames(ports, place));
}

/** How subscriptions may name the place. */
async function listNames(ports: SlackPorts, { channel, channelName, user }: NamedPlace): Promise<readonly string[]> {
  if (isDirectMessage(channel)) return [channel, user];
  const own = await readOwnIdentity(ports);
  // Each workspace of an organisation may have a channel of this name.
  return own === undefined || own.isOrgInstall ? [channel] : [channel, `#${channelName}`, channelName];
}

function isNamedBy(
  ports: Pick<SlackPorts, 'config'>,
  subscription: Subscription,
  { channel, thread }: NamedPlace,
  names: readonly string[],
): boolean {
  if (!isSentByOwnApp(ports, subscription)) return false;
  const settings = subscription.to.settings as SlackBotSettings | SlackPersonalSettings;
  if ('to' in settings)
    return isDirectMessage(channel) || (settings.fallback !== undefined && names.includes(settings.fallback));
  return names.includes(settings.channel) && (thread === undefined || settings.thread === thread);
}
