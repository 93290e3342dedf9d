/** What a channel does with its subscriptions: unsubscribe, pause, resume, test and preview. */

import { nearestWord } from '../../core/filters/nearest-word.ts';
import type { Pace } from '../../core/model/pace.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { DAY, type Duration, SECOND } from '../../core/model/time.ts';
import type { BucketSize } from '../../core/model/token-bucket.ts';
import { jobFor } from '../../core/ports/queue.ts';
import {
  pauseSubscription,
  removeSubscription,
  resumeSubscription,
  testSubscription,
} from '../../core/subscriptions/verbs.ts';
import { readMembership } from './authority.ts';
import { code, joinFew, mention, note, plainSection, section, slackTime } from './blocks.ts';
import { fitAnswerText, takeRows } from './fit-reply.ts';
import { sayMaker, sayNothing } from './list-subscriptions.ts';
import { listAhead, sayAhead, sayNextDigest } from './messages-ahead.ts';
import { findReadersOfEach, findVisibleOthers } from './personal-messages.ts';
import { slackAuthor } from './slack-author.ts';
import { ALL_NAMES } from './slack-command.ts';
import type { SlackPorts } from './slack-ports.ts';
import { NO_PREVIEWS, replyTo } from './slack-reply.ts';
import type { SlackPlace } from './slack-request.ts';
import type { RunningTask } from './slack-task.ts';
import { assertOfChannel, findOthers, findOwn } from './subscriptions-of-channel.ts';

type Thread = Pick<SlackPlace, 'thread'>;

/** A mention in a thread concerns the subscriptions of the thread. */
const sayPlace = ({ thread }: Thread) => (thread === undefined ? 'this channel' : 'this thread');

const joinNames = (subscriptions: readonly Subscription[]) => joinFew(subscriptions.map(({ name }) => code(name)));

/** For a place without subscriptions of its own, which may get messages nevertheless. */
async function sayNothingOwn(ports: SlackPorts, { place }: RunningTask['task']): Promise<string> {
  const others = await findVisibleOthers(ports, { ...place, ...(await readMembership(ports, place)) });
  if (others.length === 0) return sayNothing(place);
  const who = place.thread === undefined ? 'This channel' : 'This thread';
  return `${who} made no subscription. It gets the messages of ${joinNames(others)}, which only the operator of Tidings can end, pause or test.`;
}

export async function unsubscribe(ports: SlackPorts, running: RunningTask): Promise<void> {
  const { place, args } = running.task;
  const own = await findOwn(ports, place);
  const wanted = (args.name ?? '').toLowerCase();
  const chosen = wanted === ALL_NAMES ? own : own.filter(({ name }) => name.toLowerCase() === wanted);
  // Removed in an earlier run of this task.
  const removed = (running.task.steps.removed ?? '').split(' ').filter((name) => name !== '');
  const names = [...new Set([...removed, ...chosen.map(({ name }) => name)])];
  if (names.length === 0) {
    await replyTo(ports, running, { text: await unknownName(ports, running, own, wanted) });
    return;
  }
  const all = (await running.step('removed', async () => names.join(' '))).split(' ');
  for (const name of all) {
    await removeSubscription(ports, slackAuthor(running), name, {
      assertAllowed: (stored) => assertOfChannel(stored, place.channel),
      details: { channel: place.channel },
    });
  }
  const text = `${mention(place.user)} ended ${joinFew(all.map((name) => code(name)))} in ${sayPlace(place)}.`;
  await sayInChannel(ports, running, text);
}

async function unknownName(
  ports: SlackPorts,
  { task }: RunningTask,
  own: readonly Subscription[],
  wanted: string,
): Promise<string> {
  const others = await findVisibleOthers(ports, { ...task.place, ...(await readMembership(ports, task.place)) });
  const known = others.find(({ name }) => name.toLowerCase() === wanted);
  if (known !== undefined) {
    return `${code(wanted)} was made ${sayMaker(known)}: only the operator of Tidings can end it.`;
  }
  if (own.length === 0) return sayNothingOwn(ports, task);
  const nearest = nearestWord(
    wanted,
    own.map(({ name }) => name),
  );
  const hint =
    nearest === undefined
      ? `${code('/tidings list')} shows its subscriptions: ${joinFew(own.map(({ name }) => name))}`
      : `Did you mean ${code(nearest)}?`;
  const where = task.place.thread === undefined ? 'This channel' : 'This thread';
  return `${where} has no subscription ${code(wanted)}. ${hint}`;
}

/** A public line; if the bot cannot post, the person who asked gets the answer. */
async function sayInChannel(ports: SlackPorts, running: RunningTask, text: string): Promise<void> {
  const { channel, thread } = running.task.place;
  const posted = await running.step('line', async () => {
    const args = { channel, text: fitAnswerText(text), thread_ts: thread, ...NO_PREVIEWS };
    const result = await ports.slack.call('chat.postMessage', args);
    return result.ok ? 'posted' : result.error;
  });
  if (posted !== 'posted') await replyTo(ports, running, { text });
}

export async function pauseOwn(ports: SlackPorts, running: RunningTask): Promise<void> {
  const { place, args } = running.task;
  const own = await findOwn(ports, place);
  if (own.length === 0) {
    await replyTo(ports, running, { text: await sayNothingOwn(ports, running.task) });
    return;
  }
  const until = args.until === undefined || args.until === '' ? undefined : args.until;
  const silent: Subscription[] = [];
  for (const one of own) {
    const options = { until, details: { channel: place.channel } };
    if (!(await pauseSubscription(ports, slackAuthor(running), one.name, options))) silent.push(one);
  }
  const areSilent = `${joinNames(silent)} ${silent.length === 1 ? 'is' : 'are'} silent until ${code('/tidings resume')}`;
  if (silent.length === own.length) {
    await replyTo(ports, running, { text: `Nothing was changed: ${areSilent}.` });
    return;
  }
  const end = until === undefined ? `until ${code('/tidings resume')}` : `until ${slackTime(until)}`;
  const others = await findVisibleOthers(ports, { ...place, ...(await readMembership(ports, place)) });
  const rest =
    others.length === 0 ? '' : ` Those of ${joinNames(others)} go on: only the operator of Tidings can pause them.`;
  const longer = silent.length === 0 ? '' : ` ${areSilent}.`;
  const text = `${mention(place.user)} paused the messages of Tidings in ${sayPlace(place)} ${end}.${longer}${rest}`;
  await sayInChannel(ports, running, text);
}

export async function resumeOwn(ports: SlackPorts, running: RunningTask): Promise<void> {
  const { place } = running.task;
  const own = await findOwn(ports, place);
  if (own.length === 0) {
    await replyTo(ports, running, { text: await sayNothingOwn(ports, running.task) });
    return;
  }
  for (const { name } of own) await resumeSubscription(ports, slackAuthor(running), name);
  await sayInChannel(ports, running, `${mention(place.user)} resumed the messages of Tidings in ${sayPlace(place)}.`);
}

/** Of one person, in all channels: Slack limits how many messages the app may send in the whole workspace. */
const TESTS: BucketSize = { burst: 3, interval: 20 * SECOND };
const MAX_TESTED = 10;

/** How long a person has to wait who has just sent several tests; 0 if they need not. */
async function claimTest({ requestLimiter, clock }: SlackPorts, running: RunningTask): Promise<Duration> {
  const take = () => requestLimiter.take(`slack-test ${running.task.place.user}`, TESTS, clock.now());
  return Number(await running.step('wait', async () => String(await take())));
}

export async function testOwn(ports: SlackPorts, running: RunningTask): Promise<void> {
  const { place } = running.task;
  const own = await findOwn(ports, place);
  if (own.length === 0) {
    await replyTo(ports, running, { text: await sayNothingOwn(ports, running.task) });
    return;
  }
  const wait = await claimTest(ports, running);
  if (wait > 0) {
    const text = `You have just sent several tests: try again in ${Math.ceil(wait / SECOND)} seconds.`;
    await replyTo(ports, running, { text });
    return;
  }
  const newest = own.toSorted((a, b) => (b.createdAt ?? '').localeCompare(a.createdAt ?? '')).slice(0, MAX_TESTED);
  for (const one of newest) {
    const open = (pace: Pace) => testSubscription(ports, slackAuthor(running), one, { pace });
    const id = await running.step(`test ${one.name}`, async () => (await ports.inTurn(open))?.id ?? '');
    const delivery = await ports.deliveries.get(id, true);
    if (delivery !== undefined) await ports.queue.send([jobFor(delivery, one.owner)], ports.clock.now());
  }
  const count = own.length === 1 ? 'A test message is' : `${newest.length} test messages are`;
  const which =
    newest.length === own.length ? '' : `: those of the ${newest.length} newest of its ${own.length} subscriptions`;
  await replyTo(ports, running, { text: `${count} on the way to ${sayPlace(place)}${which}.` });
}

const MAX_FORECAST = 10;

/** What its subscriptions will send; changes that people make cannot be known. */
export async function previewOwn(ports: SlackPorts, running: RunningTask): Promise<void> {
  const { place } = running.task;
  const membership = await readMembership(ports, place);
  const named = { ...place, ...membership };
  const own = await findOwn(ports, place);
  const posting = [...own, ...(await findOthers(ports, named))];
  const known = [...own, ...(await findVisibleOthers(ports, named))];
  const now = ports.clock.now();
  // A person gets messages of subscriptions, too, that are not listed to them.
  const readers = await findReadersOfEach(ports, named, posting);
  const messages = posting.length === 0 ? [] : await listAhead(ports, posting, DAY, readers);
  if (messages.length === 0 && known.length === 0) {
    await replyTo(ports, running, { text: sayNothing(place) });
    return;
  }
  if (messages.length === 0) {
    const [digest] = known.filter((one) => one.digest !== undefined);
    const next = digest === undefined ? '' : ` ${await sayNextDigest(ports, digest)}; an empty one is not sent.`;
    const text = `Time alone brings nothing in the next 24 hours. Changes come as they happen.${next}`;
    await replyTo(ports, running, { text });
    return;
  }
  const count = messages.length === 1 ? '1 message' : `${messages.length} messages`;
  const text = `The next 24 hours bring ${count}, if nothing changes.`;
  const names = new Set([...known.map(({ name }) => name), ...messages.map(({ subscription }) => subscription)]);
  const rows = messages.slice(0, MAX_FORECAST).map((one) => {
    const name = names.size === 1 ? '' : ` · ${one.subscription}`;
    return [plainSection(`${sayAhead(one, now)}${name}`)];
  });
  const shown = takeRows(rows);
  const left = messages.length - shown.length;
  const zones = joinFew([...new Set(messages.map(({ zone }) => zone))]);
  const more = left > 0 ? `and ${left} more, which the operator of Tidings sees with ${code('tidings preview')}. ` : '';
  await replyTo(ports, running, {
    text: [text, ...messages.slice(0, shown.length).map((one) => code(sayAhead(one, now)))].join('\n'),
    blocks: [section(text), ...shown.flat(), note(`${more}Times of ${zones}. Changes come as they happen.`)],
  });
}
