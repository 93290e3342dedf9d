/** Requests to the admins: what a channel may not subscribe to by itself, an admin allows or denies. The first answer counts. */

import { DAY, plus } from '../../core/model/time.ts';
import { recordChange } from '../../core/ports/audit-store.ts';
import type { DocumentBody } from '../../core/ports/document-store.ts';
import { readMembership } from './authority.ts';
import { actionRow, button, code, mention, note, section } from './blocks.ts';
import { type Draft, READERS_NOTE, readDraft, saveDraft } from './draft.ts';
import { makeOnce } from './make-subscription.ts';
import { claimPress, releasePress } from './press-once.ts';
import { slackAuthor } from './slack-author.ts';
import type { SlackPorts } from './slack-ports.ts';
import { replyTo, type SlackReply, sendDirectly } from './slack-reply.ts';
import type { RunningTask } from './slack-task.ts';

const REQUEST = 'slack-request';
const KEPT_FOR = 30 * DAY;

interface PermissionRequest {
  readonly state: 'open' | 'allowed' | 'denied';
  readonly objection: string;
  /** The messages to the admins, as `channel ts`. */
  readonly messages: readonly string[];
  /** The admin who decided, and the press that did it. */
  readonly by?: string;
  readonly press?: string;
}

export interface AskedDraft {
  readonly id: string;
  readonly draft: Draft;
  readonly objection: string;
}

export async function askAdmins(ports: SlackPorts, running: RunningTask, { id, draft, objection }: AskedDraft) {
  const { admins } = ports.config.slack;
  const request: PermissionRequest = { state: 'open', objection, messages: [] };
  const isNew = await ports.documents.add(REQUEST, id, { ...request }, plus(ports.clock.now(), KEPT_FOR));
  const current = isNew ? request : await readRequest(ports, id);
  if (current !== undefined && current.state !== 'open') {
    await replyTo(ports, running, { text: `This request was ${current.state} already.` }, 'replace');
    return;
  }
  const press = `ask ${id}`;
  if ((await claimPress(ports, running, press)) !== undefined) {
    await replyTo(ports, running, { text: 'The admins were asked already. You get a message when one has decided.' });
    return;
  }
  const asked: string[] = [];
  for (const admin of admins) {
    const sent = await running.step(`ask ${admin}`, async () => {
      const message = await sendDirectly(ports, admin, requestMessage(id, draft, objection));
      return message === undefined ? '' : `${message.channel} ${message.ts}`;
    });
    if (sent !== '') asked.push(sent);
  }
  await ports.documents.update(REQUEST, id, (stored) => ({ ...stored, messages: asked }));
  await recordChange(ports, slackAuthor(running, draft.place, id), {
    action: 'subscription.requested',
    target: `channel/${draft.place.channel}`,
    details: { query: draft.query, objection },
  });
  if (asked.length === 0) await releasePress(ports, press);
  const text =
    asked.length === 0
      ? 'No admin can be reached in Slack: ask the operator of Tidings.'
      : `Asked ${admins.map(mention).join(', ')}. You get a message when one of them has decided.`;
  await replyTo(ports, running, { text }, 'replace');
}

function requestMessage(id: string, { place, query }: Draft, objection: string): SlackReply {
  const where = place.thread === undefined ? `<#${place.channel}>` : `a thread of <#${place.channel}>`;
  const text = `${mention(place.user)} asks to subscribe ${where} to ${code(query)}.`;
  const buttons = [button('allow', 'Allow', id, 'primary'), button('deny', 'Deny', id, 'danger')];
  return {
    text,
    blocks: [section(text), note(`Why you are asked: ${objection}. ${READERS_NOTE}`), actionRow(...buttons)],
  };
}

async function readRequest({ documents }: SlackPorts, id: string): Promise<PermissionRequest | undefined> {
  const body = await documents.get(REQUEST, id);
  return body === undefined ? undefined : (body as unknown as PermissionRequest);
}

/** An admin pressed Allow or Deny. */
export async function decideRequest(ports: SlackPorts, running: RunningTask): Promise<void> {
  const { place, args, id: press } = running.task;
  const id = args.draft ?? '';
  const draft = await readDraft(ports, id);
  const state = args.decision === 'allow' ? 'allowed' : 'denied';
  const decided = await ports.documents.update(REQUEST, id, (stored): DocumentBody => {
    const request = stored as unknown as PermissionRequest;
    return request.state === 'open' ? { ...stored, state, by: place.user, press } : stored;
  });
  const request = decided as unknown as PermissionRequest | undefined;
  if (draft === undefined || request === undefined) {
    await replyTo(ports, running, { text: 'This request is too old: nothing was changed.' }, 'replace');
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
  if (state === 'denied') {
    await sendDirectly(ports, draft.place.user, {
      text: `${mention(user)} denied ${code(draft.query)} for <#${draft.place.channel}>.`,
    });
    return;
  }
  const allowed = { ...draft, allowedBy: user };
  await saveDraft(ports, id, allowed);
  const membership = await readMembership(ports, draft.place);
  const made = await makeOnce(ports, running, { id, draft: allowed, membership });
  const text = `${mention(user)} allowed ${code(draft.query)} for <#${draft.place.channel}>.`;
  await sendDirectly(
    ports,
    draft.place.user,
    made?.isMade === false ? { ...made.reply, text: `${text} ${made.reply.text}` } : { text },
  );
}

/** All admins see who decided, and the buttons are gone. */
async function showDecision(ports: SlackPorts, { place, query }: Draft, request: PermissionRequest): Promise<void> {
  const text = `${mention(request.by ?? '')} ${request.state} ${code(query)} for <#${place.channel}>, asked by ${mention(place.user)}.`;
  for (const message of request.messages) {
    const [channel = '', ts = ''] = message.split(' ');
    await ports.slack.call('chat.update', { channel, ts, text, blocks: [section(text)] });
  }
}
