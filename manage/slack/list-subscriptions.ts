/** `list`: what posts into a channel, by whom it was made, in which state, and who may change it. As many as fit into one message. */

import { isOpen } from '../../core/delivery/receivers/health.ts';
import type { Health } from '../../core/delivery/receivers/health-state.ts';
import { pausedUntil } from '../../core/delivery/receivers/snooze.ts';
import { readHealth } from '../../core/delivery/receivers/subscription-state.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import type { Instant } from '../../core/model/time.ts';
import { readMembership } from './authority.ts';
import { code, codeQuery, isShownWhole, mention, note, sayQuery, section, slackTime } from './blocks.ts';
import { queryOf } from './describe-subscription.ts';
import { type SlackAnyBlock, takeRows } from './fit-reply.ts';
import { findVisibleOthers } from './personal-messages.ts';
import { mayDo } from './rules.ts';
import type { SlackPorts } from './slack-ports.ts';
import { replyTo } from './slack-reply.ts';
import type { SlackPlace } from './slack-request.ts';
import type { RunningTask } from './slack-task.ts';
import { findOwn } from './subscriptions-of-channel.ts';

const NOTHING = 'This channel has no subscriptions. Try `/tidings subscribe task.overdue`, or `/tidings` for a form.';
const NOTHING_IN_THREAD =
  'This thread has no subscriptions. `/tidings list` shows those of the channel; `@Tidings subscribe task.overdue` subscribes the thread.';

export const sayNothing = ({ thread }: Pick<SlackPlace, 'thread'>) =>
  thread === undefined ? NOTHING : NOTHING_IN_THREAD;

/** More do not fit into a message. */
const MAX_ROWS = 50;

/** Everything that posts into this channel, also what others made. */
export async function listAll(ports: SlackPorts, running: RunningTask): Promise<void> {
  const { place, args } = running.task;
  const membership = await readMembership(ports, place);
  const own = await findOwn(ports, place);
  const all = [...own, ...(await findVisibleOthers(ports, { ...place, ...membership }))];
  if (all.length === 0) {
    await replyTo(ports, running, { text: sayNothing(place) });
    return;
  }
  const mayChange = mayDo('unsubscribe', membership.standing, place.channel);
  const describe = (one: Subscription) =>
    describeSubscription(
      ports,
      one,
      !own.includes(one) ? BY_OPERATOR : mayChange ? 'you may change it' : 'you may not change it',
    );
  const wanted = Number(args.from ?? 1);
  const start = wanted <= all.length ? wanted - 1 : 0;
  const rows = takeRows(await Promise.all(all.slice(start, start + MAX_ROWS).map(describe)));
  const names = all.map(({ name }) => name);
  const text = `${names.length === 1 ? '1 subscription' : `${names.length} subscriptions`}: ${names.join(', ')}`;
  await replyTo(ports, running, { text, blocks: [...rows.flat(), ...sayPage(place, start, rows.length, all.length)] });
}

const BY_OPERATOR = 'only the operator of Tidings may change it';

/** Where to go on. Nothing if all are shown. */
function sayPage({ thread }: SlackPlace, start: number, count: number, all: number): readonly SlackAnyBlock[] {
  if (count === all) return [];
  const end = start + count;
  const next = `${thread === undefined ? '/tidings' : '@Tidings'} list ${end < all ? end + 1 : 1}`;
  return [note(`${start + 1} to ${end} of ${all}. ${code(next)} shows ${end < all ? 'the next' : 'the first'}.`)];
}

/** With the whole query, except for one that is longer than any that people type. */
async function describeSubscription(
  ports: SlackPorts,
  one: Subscription,
  change: string,
): Promise<readonly SlackAnyBlock[]> {
  const state = stateOf(await readHealth(ports, one.name), ports.clock.now());
  const query = queryOf(one);
  const about = `${sayMaker(one)}${sayTarget(one)}${state} · ${change}`;
  if (isShownWhole(query)) return sayQuery(`*${one.name}* `, query, `\n${about}`).blocks;
  return [section(`*${one.name}* ${codeQuery(query)}\n${about} · cut here: the operator of Tidings sees all of it`)];
}

export function sayMaker({ madeBy, declared, owner }: Subscription): string {
  if (madeBy !== undefined) return `by ${mention(madeBy.id)}`;
  if (declared) return 'by the operator, in the config';
  return owner === undefined ? 'by the operator' : `through the API, with the key ${code(owner)}`;
}

function sayTarget({ to }: Subscription): string {
  const { to: role, thread } = to.settings as { readonly to?: string; readonly thread?: string };
  if (role !== undefined) return `, to each of the ${role === 'projectmanager' ? 'project managers' : role}`;
  return thread === undefined ? '' : ', in a thread';
}

function stateOf(health: Health, now: Instant): string {
  const until = pausedUntil(health, now);
  if (until === null) return ', paused until it is resumed';
  if (!isOpen(health)) return `, stopped: ${code(health.reason ?? 'Slack refuses its messages', MAX_REASON)}`;
  return until === undefined ? '' : `, paused until ${slackTime(until)}`;
}

const MAX_REASON = 300;
