/**
 * Who may do what. Tidings reads with one token that may see everything, and anybody can type a command: so a channel may
 * subscribe only to what the config offers, and anything else needs an admin.
 */

import { compileGlob } from '../../core/filters/match.ts';
import { jsonObjectOf, jsonTextOf } from '../../core/model/json.ts';
import { isOwnPerson, readOwnIdentity } from './own-identity.ts';
import type { SlackPorts } from './slack-ports.ts';
import { hasNoAccess } from './slack-reply.ts';
import type { SlackPlace } from './slack-request.ts';

/** Whether every type that these patterns stand for is offered to all channels. */
export function isOffered({ config }: Pick<SlackPorts, 'config'>, events: readonly string[]): boolean {
  // The stars of a pattern are matched by stars alone: whatever it stands for, the offered pattern stands for too.
  return events.every((glob) => config.slack.offer.some((offered) => compileGlob(offered)(glob)));
}

/**
 * Whether a person may read the names of the accounts. Members may subscribe to what is offered of each account, and events name their
 * account. Others, such as guests, know the account whose token they have.
 */
export async function mayNameSources(ports: SlackPorts, place: Standable): Promise<boolean> {
  const { standing } = await readMembership(ports, place);
  return standing === 'admin' || (standing === 'member' && ports.config.slack.offer.length > 0);
}

export const isAdmin = ({ config }: Pick<SlackPorts, 'config'>, user: string) => config.slack.admins.includes(user);

/**
 * What a person is to this workspace: `stranger` is of another organisation or unknown to the app, `deactivated` has lost the
 * account. An admin is one of the config.
 */
export type Standing = 'admin' | 'member' | 'guest' | 'stranger' | 'deactivated';

/** What is special about a channel and the person who typed the command. */
export interface Membership {
  readonly standing: Standing;
  /** `#finance`, without the hash; the name of the person for a direct message. */
  readonly channelName: string;
  readonly userName: string;
  /** The channel is shared with another organisation. */
  readonly isShared: boolean;
  /** Not everyone of the workspace may read the channel. */
  readonly isPrivate: boolean;
  /** Slack shows the app nothing of this kind of conversation, such as a group of people, in which it may post nevertheless. */
  readonly isHidden: boolean;
  /** Not a member: a guest or a stranger, or deactivated. */
  readonly isGuest: boolean;
  /** The bot cannot read or write in the channel. */
  readonly isOutside: boolean;
}

export async function readMembership(ports: SlackPorts, place: Standable): Promise<Membership> {
  const { directory } = ports;
  const { channel, user } = place;
  // A direct message is neither shared nor named, and reading it would need one more scope.
  const isDirect = isDirectMessage(channel);
  const [info, person, own] = await Promise.all([
    isDirect || channel === '' ? undefined : directory.conversation(channel),
    directory.person(user),
    readOwnIdentity(ports),
  ]);
  const conversation = info?.ok === true ? jsonObjectOf(info.body.channel) : {};
  // A response without the channel shows nothing of it.
  const isUnread = info?.ok === true && jsonTextOf(conversation.id) === '';
  const isHidden = isUnread || (info?.ok === false && !hasNoAccess(info.error));
  const member = person.ok ? jsonObjectOf(person.body.user) : {};
  const userName = jsonTextOf(member.name) || place.userName;
  // Unknown people are strangers: the app was removed, or one of a shared channel asks.
  const isKnown = person.ok && own !== undefined && isOwnPerson(own, member);
  const kind = isKnown ? kindOf(member) : member.deleted === true ? 'deactivated' : 'stranger';
  return {
    standing: isAdmin(ports, user) && kind !== 'deactivated' ? 'admin' : kind,
    channelName: isDirect ? userName : jsonTextOf(conversation.name) || place.channelName,
    userName,
    isShared: isUnread || conversation.is_ext_shared === true || conversation.is_pending_ext_shared === true,
    isPrivate: !isDirect && conversation.is_private !== false,
    isHidden,
    isGuest: kind !== 'member',
    isOutside: !isDirect && !isHidden && conversation.is_member !== true,
  };
}

type Standable = Pick<SlackPlace, 'channel' | 'user' | 'userName' | 'channelName'>;

/** A message to one person. Slack names it by the conversation, or by the person. */
export const isDirectMessage = (channel: string) => /^[DUW]/.test(channel);

function kindOf(member: Readonly<Record<string, unknown>>): Exclude<Standing, 'admin'> {
  if (member.deleted === true) return 'deactivated';
  // Slack calls only those strangers who share no channel with the app: the others are known by their workspace.
  if (member.is_stranger === true) return 'stranger';
  return member.is_restricted === true || member.is_ultra_restricted === true ? 'guest' : 'member';
}
