/**
 * Requests to the admins: what a channel may not subscribe to by itself, an admin allows or denies. The first answer counts. What an
 * admin allows is what they have read: if the objection becomes another one, they are asked again.
 */

import { DAY, plus } from '../../core/model/time.ts';
import { recordChange } from '../../core/ports/audit-store.ts';
import type { DocumentBody } from '../../core/ports/document-store.ts';
import { readMembership } from './authority.ts';
import { actionRow, button, mention, plainNotes, sayQuery } from './blocks.ts';
import { compileChannelQuery, type Draft, namePlace, readDraft, saveDraft, sayReaders } from './draft.ts';
import { isFitting, type SlackReply } from './fit-reply.ts';
import { isConfirmed, makeOnce } from './make-subscription.ts';
import { findObjection, isCovered } from './objections.ts';
import { claimPress, releasePress } from './press-once.ts';
import { claimAsk, type LimitedRequest, releaseAsk } from './request-limits.ts';
import { slackAuthor } from './slack-author.ts';
import type { SlackPorts } from './slack-ports.ts';
import { replyTo, sendDirectly } from './slack-reply.ts';
import type { RunningTask } from './slack-task.ts';

const REQUEST = 'slack-request';
const KEPT_FOR = 30 * DAY;

/** Its messages to the admins are `channel ts`. */
interface PermissionRequest extends LimitedRequest {
  readonly objection: string;
  /** The press that decided. */
  readonly press?: string;
  /** How often the objection was replaced by another one. The buttons name it. @default 0 */
  readonly revision?: number;
}

export interface AskedDraft {
  readonly id: string;
  readonly draft: Draft;
  readonly objection: string;
}

export async function askAdmins(ports: SlackPorts, running: RunningTask, { id, draft, objection }: AskedDraft) {
  const { admins } = ports.config.slack;
  const fresh: PermissionRequest = { state: 'open', objection, messages: [] };
  if (!isFitting(requestMessage(id, draft, fresh).blocks)) {
    await replyTo(ports, running, { text: TOO_LONG });
    return;
  }
  const known = await readRequest(ports, id);
  const isSent = known !== undefined && known.messages.length > 0;
  const limit = isSent ? undefined : await claimAsk(ports, id, draft, (other) => readRequest(ports, other));
  if (limit !== undefined) {
    await replyTo(ports, running, { text: limit });
    return;
  }
  const isNew = await ports.documents.add(REQUEST, id, { ...fresh }, plus(ports.clock.now(), KEPT_FOR));
  const request = isNew ? fresh : ((await askAgain(ports, id, draft, objection)) ?? fresh);
  if (request.state !== 'open') {
    await replyTo(ports, running, { text: `This request was ${request.state} already.` }, 'replace');
    return;
  }
  const asking = withRevision(id, request);
  const press = `ask ${asking}`;
  if ((await claimPress(ports, running, press)) !== undefined) {
    await replyTo(ports, running, { text: 'The admins were asked already. You get a message when one has decided.' });
    return;
  }
  const asked = new Map<string, string>();
  for (const admin of admins) {
    const sent = await running.step(`ask ${admin}`, async () => {
      const message = await sendDirectly(ports, admin, requestMessage(id, draft, request));
      return message === undefined ? '' : `${message.channel} ${message.ts}`;
    });
    if (sent !== '') asked.set(admin, sent);
  }
  await ports.documents.update(REQUEST, id, (stored) => ({ ...stored, messages: [...asked.values()] }));
  await recordChange(ports, slackAuthor(running, draft.place, asking), {
    action: 'subscription.requested',
    target: `channel/${draft.place.channel}`,
    details: { query: draft.query, objection },
  });
  if (asked.size === 0) {
    await releaseAsk(ports, id, draft);
    await releasePress(ports, press);
  }
  const text =
    asked.size === 0
      ? 'No admin can be reached in Slack: ask the operator of Tidings.'
      : `Asked ${[...asked.keys()].map(mention).join(', ')}. You get a message when one of them has decided.`;
  await replyTo(ports, running, { text }, 'replace');
}

/** Admins decide about what they read, so nothing of it is left out. */
const TOO_LONG =
  'The admins cannot be asked: the query and the reasons to ask are together too long for a message of Slack. Subscribe to less at a time.';

/** An admin allowed it, and nothing was made yet. With another objection than the one they read, it is open again. */
function askAgain(ports: SlackPorts, id: string, { allowedBy, allowedObjection }: Draft, objection: string) {
  return updateRequest(ports, id, (stored) => {
    if (stored.state !== 'allowed' || allowedBy === undefined) return stored;
    const isRead = allowedObjection !== undefined && isCovered(objection, stored.objection);
    return isRead ? stored : reopen({ ...stored, messages: [] }, objection);
  });
}

function reopen({ messages, revision = 0 }: PermissionRequest, objection: string): PermissionRequest {
  return { state: 'open', objection, messages, revision: revision + 1 };
}

/** The value of the buttons, whose first part is the draft. */
const withRevision = (id: string, { revision = 0 }: PermissionRequest) => (revision === 0 ? id : `${id} ${revision}`);

function requestMessage(id: string, { place, query }: Draft, request: PermissionRequest) {
  const { text, blocks } = sayQuery(`${mention(place.user)} asks to subscribe ${namePlace(place)} to `, query, '.');
  const value = withRevision(id, request);
  const buttons = [button('allow', 'Allow', value, 'primary'), button('deny', 'Deny', value, 'danger')];
  return {
    text,
    blocks: [
      ...blocks,
      ...plainNotes(`Why you are asked: ${request.objection}. ${sayReaders(place)}`),
      actionRow(...buttons),
    ],
  };
}

async function readRequest({ documents }: SlackPorts, id: string): Promise<PermissionRequest | undefined> {
  return (await documents.get(REQUEST, id)) as unknown as PermissionRequest | undefined;
}

async function updateRequest(
  { documents }: SlackPorts,
  id: string,
  change: (stored: PermissionRequest) => PermissionRequest,
): Promise<PermissionRequest | undefined> {
  const next = (stored: DocumentBody) => change(stored as unknown as PermissionRequest) as unknown as DocumentBody;
  return (await documents.update(REQUEST, id, next)) as unknown as PermissionRequest | undefined;
}

/** An admin pressed Allow or Deny. */
export async function decideRequest(ports: SlackPorts, running: RunningTask): Promise<void> {
  const { place, args, id: press } = running.task;
  const [id = '', revision = '0'] = (args.draft ?? '').split(' ');
  const draft = await readDraft(ports, id);
  if (draft === undefined) {
    await replyTo(ports, running, { text: TOO_OLD }, 'replace');
    return;
  }
  const state = args.decision === 'allow' ? 'allowed' : 'denied';
  const present = state === 'allowed' ? await readPresent(ports, id, draft) : undefined;
  const isMaking = await isConfirmed(ports, id);
  const request = await updateRequest(ports, id, (stored) => {
    const objection = present?.objection;
    // A repeated run of this press decides again, unless it has begun to make the subscription.
    const isOpen = stored.state === 'open' || (stored.press === press && !isMaking);
    if (!isOpen) return stored;
    if (objection !== undefined && !isCovered(objection, stored.objection)) return reopen(stored, objection);
    const hasRead = state === 'denied' || `${stored.revision ?? 0}` === revision;
    return hasRead ? { ...stored, state, by: place.user, press, decidedAt: ports.clock.now() } : stored;
  });
  if (request === undefined) {
    await replyTo(ports, running, { text: TOO_OLD }, 'replace');
    return;
  }
  if (request.state === 'open') {
    await showObjection(ports, id, draft, request);
    const text = `Nothing was made yet, because the reason has changed since you were asked: ${request.objection}. If you agree, press Allow again.`;
    await replyTo(ports, running, { text });
    return;
  }
  if (request.press !== press) {
    const text = `This request was ${request.state} by ${mention(request.by ?? '')}.`;
    await replyTo(ports, running, { text }, 'replace');
    return;
  }
  await showDecision(ports, draft, request);
  const { user } = place;
  const change = { target: `channel/${draft.place.channel}`, details: { query: draft.query, user: draft.place.user } };
  await recordChange(ports, slackAuthor(running), {
    action: `subscription.request_${state}`,
    ...change,
  });
  if (present === undefined) {
    const denied = sayQuery(`${mention(user)} denied `, draft.query, ` for ${namePlace(draft.place)}.`);
    await tellAsker(ports, running, draft, denied);
    return;
  }
  const allowed = { ...draft, allowedBy: user, allowedObjection: request.objection };
  await saveDraft(ports, id, allowed);
  const made = await makeOnce(ports, running, { id, draft: allowed, membership: present.membership });
  const said = sayQuery(`${mention(user)} allowed `, draft.query, ` for ${namePlace(draft.place)}.`);
  const reply = made?.isMade === false ? { ...made.reply, text: `${said.text} ${made.reply.text}` } : said;
  await tellAsker(ports, running, draft, reply);
}

async function tellAsker(ports: SlackPorts, running: RunningTask, { place }: Draft, reply: SlackReply): Promise<void> {
  if ((await sendDirectly(ports, place.user, reply)) !== undefined) return;
  await replyTo(ports, running, { text: `Slack does not let Tidings tell ${mention(place.user)} about it.` });
}

const TOO_OLD = 'This request is too old: nothing was changed.';

/** The config, the channel or the person may have changed since the admins were asked. */
async function readPresent(ports: SlackPorts, id: string, draft: Draft) {
  const membership = await readMembership(ports, draft.place);
  const { events } = compileChannelQuery(ports, draft.query);
  return { membership, objection: await findObjection(ports, { ...draft, id, events }, membership) };
}

/** All admins see who decided, and the buttons are gone. */
async function showDecision(ports: SlackPorts, { place, query }: Draft, request: PermissionRequest): Promise<void> {
  const after = ` for ${namePlace(place)}, asked by ${mention(place.user)}.`;
  await updateMessages(ports, request, sayQuery(`${mention(request.by ?? '')} ${request.state} `, query, after));
}

/** All admins see the new reason. */
async function showObjection(ports: SlackPorts, id: string, draft: Draft, request: PermissionRequest): Promise<void> {
  await updateMessages(ports, request, requestMessage(id, draft, request));
}

async function updateMessages({ slack }: SlackPorts, { messages }: PermissionRequest, reply: SlackReply) {
  for (const message of messages) {
    const [channel = '', ts = ''] = message.split(' ');
    await slack.call('chat.update', { channel, ts, ...reply });
  }
}
