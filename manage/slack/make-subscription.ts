/** Makes the subscription of a confirmed draft: the public line, the record and the audit entry, each once. */

import { RetryLater } from '../../core/model/errors.ts';
import { findSuccessor } from '../../core/model/former-names.ts';
import { type Subscription, slackOwner } from '../../core/model/subscription.ts';
import { assertStorable } from '../../core/subscriptions/storable.ts';
import { addSubscription, changeSubscription } from '../../core/subscriptions/verbs.ts';
import { isDirectMessage, type Membership } from './authority.ts';
import { actionRow, button, code, mention, plainSection, sayQuery, section } from './blocks.ts';
import { compileChannelQuery, type Draft, sayReaders } from './draft.ts';
import type { SlackReply } from './fit-reply.ts';
import { sayFirstAhead } from './messages-ahead.ts';
import { isCovered, joinObjections } from './objections.ts';
import { claimPress, isPressed, releasePress } from './press-once.ts';
import { releasePlaces, reservePlaces } from './reserve-place.ts';
import { slackAuthor } from './slack-author.ts';
import { ALL_NAMES } from './slack-command.ts';
import type { SlackPorts } from './slack-ports.ts';
import { hasNoAccess, NO_PREVIEWS } from './slack-reply.ts';
import type { RunningTask } from './slack-task.ts';
import { assertOfChannel } from './subscriptions-of-channel.ts';

export interface ConfirmedDraft {
  readonly id: string;
  readonly draft: Draft;
  readonly membership: Membership;
}

interface MadeResult {
  /** False if the bot cannot post in the channel. */
  readonly isMade: boolean;
  /** For the person who confirmed it. */
  readonly reply: SlackReply;
}

/** How far the making of a subscription has come. */
interface Progress {
  isPosted: boolean;
  isStored: boolean;
}

const confirmPress = (draft: string) => `confirm ${draft}`;

/** Whether the subscription of the draft was made, or is being made. */
export const isConfirmed = (ports: Pick<SlackPorts, 'documents'>, draft: string) =>
  isPressed(ports, confirmPress(draft));

/**
 * Makes the subscription of a draft, once, whether the person confirms it or an admin allows it: one that was removed since does
 * not come back by an old button. Undefined if it was made before.
 */
export async function makeOnce(
  ports: SlackPorts,
  running: RunningTask,
  confirmed: ConfirmedDraft,
): Promise<MadeResult | undefined> {
  const press = confirmPress(confirmed.id);
  if ((await claimPress(ports, running, press)) !== undefined) return undefined;
  const progress: Progress = { isPosted: false, isStored: false };
  const wanted = { id: confirmed.id, place: confirmed.draft.place };
  try {
    const tooMany = await findTooMany(ports, confirmed);
    const made =
      tooMany === undefined
        ? await makeSubscription(ports, running, confirmed, progress)
        : { isMade: false, reply: offerAgain(confirmed.id, `Nothing was subscribed: ${tooMany}.`) };
    // Nothing was subscribed: it may be tried again.
    if (!made.isMade) await releasePress(ports, press);
    await releasePlaces(ports, wanted);
    return made;
  } catch (error) {
    // Until others have read that it is made, a repeated run decides again whether it may be.
    const goesOn = error instanceof RetryLater && progress.isPosted;
    if (!(goesOn || progress.isStored)) {
      await releasePress(ports, press);
      await releasePlaces(ports, wanted);
    }
    throw error;
  }
}

/** Others may have made theirs since the objections were listed. Undefined if it may be made; then it has its place. */
async function findTooMany(ports: SlackPorts, { id, draft, membership }: ConfirmedDraft): Promise<string | undefined> {
  if (draft.replaces !== undefined || membership.standing === 'admin') return undefined;
  const objections = await reservePlaces(ports, { id, place: draft.place });
  const { allowedBy, allowedObjection = '' } = draft;
  const objection = joinObjections(objections);
  const isAllowed = allowedBy !== undefined && isCovered(objection, allowedObjection);
  return objections.length === 0 || isAllowed ? undefined : objection;
}

/** Posts the public line first: it shows that the bot may post there, and nothing is subscribed without it. */
async function makeSubscription(
  ports: SlackPorts,
  running: RunningTask,
  confirmed: ConfirmedDraft,
  progress: Progress,
): Promise<MadeResult> {
  const { id, draft } = confirmed;
  const { channel, thread, user } = draft.place;
  const name = await running.step('name', () => chooseName(ports, confirmed));
  // Before others read that it is made.
  assertStorable(toSubscription(ports, confirmed, name));
  const by = draft.allowedBy === undefined ? '' : `, allowed by ${mention(draft.allowedBy)}`;
  const verb = draft.replaces === undefined ? 'subscribed' : 'changed the subscription of';
  const here = isDirectMessage(channel) ? 'this conversation' : 'this channel';
  const what = thread === undefined ? here : 'this thread';
  const after = `${by}. ${sayReaders(draft.place)} End it with ${code(`/tidings unsubscribe ${name}`)}.`;
  const line = sayQuery(`${mention(user)} ${verb} ${what} to `, draft.query, after);
  const posted = await running.step('line', async () => {
    const args = { channel, ...line, thread_ts: thread, ...NO_PREVIEWS };
    const result = await ports.slack.call('chat.postMessage', args);
    return result.ok ? 'posted' : result.error;
  });
  if (posted !== 'posted') {
    const text = `Slack does not let Tidings post there: ${code(posted)}. Nothing was subscribed.`;
    return { isMade: false, reply: hasNoAccess(posted) ? inviteBot(id) : { text } };
  }
  progress.isPosted = true;
  const stored = await storeSubscription(ports, running, confirmed, name);
  progress.isStored = true;
  const subscription = (await ports.subscriptions.get(stored)) ?? toSubscription(ports, confirmed, stored);
  const first = await sayFirstAhead(ports, subscription);
  const done = `Done: ${code(stored)}.`;
  const reply = { text: `${done} ${code(first)}`, blocks: [section(done), plainSection(first)] };
  return { isMade: true, reply };
}

export function inviteBot(draft: string): SlackReply {
  const text =
    'Tidings is not in that channel, so it cannot post there. Type `/invite @Tidings` in the channel, then try again.';
  return offerAgain(draft, text);
}

function offerAgain(draft: string, text: string): SlackReply {
  const elements = [button('confirm', 'Try again', draft, 'primary'), button('cancel', 'Cancel', draft)];
  return { text, blocks: [section(text), actionRow(...elements)] };
}

/**
 * Names are unique among all subscriptions: `finance-k7wd`. Always with such an ending: one that is added only to a name that is taken would
 * tell that somebody else has it.
 */
async function chooseName(ports: SlackPorts, { id, draft, membership }: ConfirmedDraft): Promise<string> {
  if (draft.replaces !== undefined) return draft.replaces;
  const plain = membership.channelName
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 50);
  const base = plain === '' ? draft.place.channel.toLowerCase() : plain;
  const all = await ports.subscriptions.list();
  for (let count = 1; ; count++) {
    const name = `${base}${ports.nameEnding(id, count)}`;
    const stored = (await ports.subscriptions.get(name)) ?? findSuccessor(all, name, ports.clock.now());
    if (name !== ALL_NAMES && (stored === undefined || stored.madeBy?.request === id)) return name;
  }
}

/** Makes it once, however often this runs. Returns its name: another channel may have taken the chosen one meanwhile. */
async function storeSubscription(
  ports: SlackPorts,
  running: RunningTask,
  confirmed: ConfirmedDraft,
  chosen: string,
): Promise<string> {
  const { draft, id, membership } = confirmed;
  const { user, channel } = draft.place;
  const author = slackAuthor(running, { user, userName: membership.userName }, id);
  const details = { channel, query: draft.query, allowedBy: draft.allowedBy };
  const isRepeated = ({ madeBy }: Subscription) => madeBy?.request === id;
  if (draft.replaces !== undefined) {
    const changed = await changeSubscription(ports, author, chosen, () => toSubscription(ports, confirmed, chosen), {
      assertAllowed: (stored) => assertOfChannel(stored, channel),
      detailsOf: () => details,
    });
    if (changed !== undefined) return chosen;
  }
  // One that was removed while the person changed it gives its name to no other.
  const { replaces, ...fresh } = draft;
  const renamable = { ...confirmed, draft: fresh };
  const first = replaces === undefined ? chosen : await chooseName(ports, renamable);
  for (let name = first; ; name = await chooseName(ports, renamable)) {
    const added = await addSubscription(ports, author, toSubscription(ports, confirmed, name), { details, isRepeated });
    if (added.kind !== 'taken') return name;
  }
}

/** The subscription of a draft, under this name. */
export function toSubscription(
  ports: SlackPorts,
  { id, draft, membership }: ConfirmedDraft,
  name: string,
): Subscription {
  const { channel, thread, user } = draft.place;
  return {
    name,
    ...compileChannelQuery(ports, draft.query),
    to: { channel: 'slack', settings: { channel, thread } },
    declared: false,
    owner: slackOwner(channel),
    madeBy: {
      id: user,
      name: membership.userName,
      channelName: `${isDirectMessage(channel) ? '@' : '#'}${membership.channelName}`,
      query: draft.query,
      request: id,
      allowedBy: draft.allowedBy,
    },
  };
}
