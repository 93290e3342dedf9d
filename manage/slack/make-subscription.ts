/** Makes the subscription of a confirmed draft: the public line, the record and the audit entry, each once. */

import { HEALTHY } from '../../core/delivery/receivers/health.ts';
import { changeHealth } from '../../core/delivery/receivers/subscription-state.ts';
import { type Subscription, slackOwner } from '../../core/model/subscription.ts';
import type { Standing } from './authority.ts';
import { actionRow, button, code, mention, section } from './blocks.ts';
import { compileWords, type Draft, READERS_NOTE } from './draft.ts';
import { recordSlackChange } from './record-slack-change.ts';
import type { SlackPorts } from './slack-ports.ts';
import { hasNoAccess, NO_PREVIEWS, type SlackReply } from './slack-reply.ts';
import type { RunningTask } from './slack-task.ts';

export interface ConfirmedDraft {
  readonly id: string;
  readonly draft: Draft;
  readonly standing: Standing;
}

export interface MadeResult {
  /** False if the bot cannot post in the channel. */
  readonly isMade: boolean;
  /** For the person who confirmed it. */
  readonly reply: SlackReply;
}

/** Posts the public line first: it shows that the bot may post there, and nothing is subscribed without it. */
export async function makeSubscription(
  ports: SlackPorts,
  running: RunningTask,
  confirmed: ConfirmedDraft,
): Promise<MadeResult> {
  const { id, draft } = confirmed;
  const { channel, thread, user } = draft.place;
  const name = await running.step('name', () => chooseName(ports, confirmed));
  const by = draft.allowedBy === undefined ? '' : `, allowed by ${mention(draft.allowedBy)}`;
  const verb = draft.replaces === undefined ? 'subscribed' : 'changed the subscription of';
  const what = thread === undefined ? 'this channel' : 'this thread';
  const line = `${mention(user)} ${verb} ${what} to ${code(draft.query)}${by}. ${READERS_NOTE} End it with ${code(`/tidings unsubscribe ${name}`)}.`;
  const posted = await running.step('line', async () => {
    const args = { channel, text: line, ...(thread === undefined ? {} : { thread_ts: thread }), ...NO_PREVIEWS };
    const result = await ports.slack.call('chat.postMessage', args);
    return result.ok ? 'posted' : result.error;
  });
  if (posted !== 'posted') {
    const text = `Slack does not let Tidings post there: ${code(posted)}. Nothing was subscribed.`;
    return { isMade: false, reply: hasNoAccess(posted) ? inviteBot(id) : { text } };
  }
  const stored = await storeSubscription(ports, running, confirmed, name);
  return { isMade: true, reply: { text: `Done: ${code(stored)}. The first message comes with the next event.` } };
}

export function inviteBot(draft: string): SlackReply {
  const text =
    'Tidings is not in that channel, so it cannot post there. Type `/invite @Tidings` in the channel, then try again.';
  const elements = [button('confirm', 'Try again', draft, 'primary'), button('cancel', 'Cancel', draft)];
  return { text, blocks: [section(text), actionRow(...elements)] };
}

/** Names are unique among all subscriptions: `finance`, `finance-2`. */
async function chooseName(ports: SlackPorts, { id, draft, standing }: ConfirmedDraft): Promise<string> {
  if (draft.replaces !== undefined) return draft.replaces;
  const plain = standing.channelName
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 50);
  const base = plain === '' ? draft.place.channel.toLowerCase() : plain;
  for (let count = 1; ; count++) {
    const name = count === 1 ? base : `${base}-${count}`;
    const known = await ports.subscriptions.get(name);
    if (known === undefined || known.madeBy?.request === id) return name;
  }
}

/** Makes it once, however often this runs. Returns its name: another channel may have taken the chosen one meanwhile. */
async function storeSubscription(
  ports: SlackPorts,
  running: RunningTask,
  confirmed: ConfirmedDraft,
  chosen: string,
): Promise<string> {
  const { draft, id } = confirmed;
  const { replaces } = draft;
  let name = chosen;
  if (replaces === undefined) {
    while (!(await addOwn(ports, confirmed, name))) name = await chooseName(ports, confirmed);
  } else {
    await ports.subscriptions.update(name, (stored) => {
      const made = toSubscription(ports, confirmed, name);
      const isOwn = stored.owner === made.owner && !stored.declared;
      return isOwn ? { ...made, createdAt: stored.createdAt ?? made.createdAt } : stored;
    });
  }
  await running.step('audit', async () => {
    const { user, channel } = draft.place;
    await recordSlackChange(ports, { id: user, name: confirmed.standing.userName }, id, {
      action: replaces === undefined ? 'subscription.created' : 'subscription.changed',
      target: `subscription/${name}`,
      details: {
        channel,
        query: draft.query,
        ...(draft.allowedBy === undefined ? {} : { allowedBy: draft.allowedBy }),
      },
    });
    return 'recorded';
  });
  return name;
}

/** False if the name is taken by another subscription. */
async function addOwn(ports: SlackPorts, confirmed: ConfirmedDraft, name: string): Promise<boolean> {
  if (await ports.subscriptions.add(toSubscription(ports, confirmed, name))) {
    await startHealthy(ports, name);
    return true;
  }
  return (await ports.subscriptions.get(name))?.madeBy?.request === confirmed.id;
}

function toSubscription(ports: SlackPorts, { id, draft, standing }: ConfirmedDraft, name: string): Subscription {
  const { channel, thread, user } = draft.place;
  return {
    name,
    ...compileWords(ports, draft.query),
    to: { channel: 'slack', settings: { channel, ...(thread === undefined ? {} : { thread }) } },
    declared: false,
    owner: slackOwner(channel),
    createdAt: ports.clock.now(),
    madeBy: {
      id: user,
      name: standing.userName,
      query: draft.query,
      request: id,
      ...(draft.allowedBy === undefined ? {} : { allowedBy: draft.allowedBy }),
    },
  };
}

/** A subscription with the name of a removed one starts with a clean health. */
async function startHealthy(ports: SlackPorts, name: string): Promise<void> {
  await changeHealth(ports, name, 'baseline', (before) =>
    before.state === 'ok' && before.failingSince === null && before.removedAt === undefined ? before : HEALTHY,
  );
}
