/** Snooze and Fewer like this: what a channel does about a message, without changing the record. */

import { pausedUntil, snoozeEnd, snoozeKey } from '../../core/delivery/receivers/snooze.ts';
import { readFreshHealth } from '../../core/delivery/receivers/subscription-state.ts';
import { DEFAULT_DAY_START } from '../../core/events/deliver-at.ts';
import { printQuery, type QueryCondition } from '../../core/filters/query.ts';
import { parseQuery } from '../../core/filters/query-parse.ts';
import { addDays, atTimeOfDay, dayIn } from '../../core/model/calendar.ts';
import { sourceName, type TidingsEvent } from '../../core/model/event.ts';
import { jsonTextOf } from '../../core/model/json.ts';
import type { PressedExclusion, Subscription } from '../../core/model/subscription.ts';
import type { Instant } from '../../core/model/time.ts';
import { changeSubscription, snoozeSubscription } from '../../core/subscriptions/verbs.ts';
import { createZoneLookup } from '../../runtime/zones.ts';
import { sayInThread } from './act-on-task.ts';
import { actionRow, button, code, mention, section, slackTime } from './blocks.ts';
import { compileChannelQuery } from './draft.ts';
import { claimPress } from './press-once.ts';
import { ENDED, exclusionsOf, findPressed, findSnoozer, type Pressed, printCondition } from './pressed-event.ts';
import { slackAuthor } from './slack-author.ts';
import type { SlackPorts } from './slack-ports.ts';
import { replyTo } from './slack-reply.ts';
import type { RunningTask } from './slack-task.ts';
import { claimSnooze } from './snooze-limit.ts';
import { findNamed, findOthers, findOwn, isOfChannel } from './subscriptions-of-channel.ts';

/** Until the start of the next day, this record is silent in this channel. What comes due meanwhile is sent then. */
export async function snoozeRecord(ports: SlackPorts, running: RunningTask): Promise<void> {
  const pressed = await findPressed(ports, running);
  if (pressed === undefined) return;
  const { place } = running.task;
  const { event, subscription } = pressed;
  const person = await findSnoozer(ports, pressed);
  if (person === null) {
    await replyTo(ports, running, { text: 'This message is too old to be snoozed: a newer one about it can be.' });
    return;
  }
  const zone =
    subscription.timeZone ?? (await createZoneLookup(ports.config.sources, ports.snapshots)(sourceName(event)));
  const now = ports.clock.now();
  const start = subscription.dayStartsAt ?? DEFAULT_DAY_START;
  const tomorrow = addDays(dayIn(zone, now), 1);
  const until = atTimeOfDay(zone, tomorrow, start === 'off' ? '00:00' : start);
  const key = snoozeKey(event);
  const refusal = await claimSnooze(ports, subscription, place.user, { key, until });
  if (refusal !== undefined) {
    await replyTo(ports, running, { text: refusal });
    return;
  }
  const press = `snooze ${subscription.name} ${key} ${person === undefined ? '' : `${person} `}${until}`;
  const first = await claimPress(ports, running, press);
  // Another subscription may have got the name since.
  const health = await readFreshHealth(ports, subscription.name);
  const end = snoozeEnd(health, [key], now, person);
  const pause = sayLongerPause(subscription, pausedUntil(health, now), until);
  if (first !== undefined && end !== undefined && end >= until) {
    const text = `${mention(first)} has snoozed this until ${slackTime(until)} already.${pause}`;
    await replyTo(ports, running, { text });
    return;
  }
  await snoozeSubscription(ports, slackAuthor(running), subscription.name, { event, until }, person);
  const text =
    person === undefined
      ? `${mention(place.user)} snoozed this ${await sayWhere(ports, pressed)} until ${slackTime(until)}.`
      : `Snoozed until ${slackTime(until)}, for you alone: others still get their messages about it.`;
  await sayInThread(ports, running, `${text}${pause}`);
}

/** A snooze does not end the pause of its subscription. */
function sayLongerPause({ name }: Subscription, end: Instant | null | undefined, until: Instant): string {
  if (end === undefined || (end !== null && end <= until)) return '';
  return ` ${code(name)} is paused until ${end === null ? 'it is resumed' : slackTime(end)}.`;
}

/** Only the subscription of the message is silent. */
async function sayWhere(ports: SlackPorts, { subscription, named }: Pressed): Promise<string> {
  const all = [...(await findOwn(ports, named)), ...(await findOthers(ports, named))];
  if (all.every(({ name }) => name === subscription.name)) return 'in this channel';
  return `in ${code(subscription.name)}, not in the other subscriptions of this channel,`;
}

/** Fields that events are alike in, the most telling first. */
const ALIKE = ['project', 'client', 'title', 'name'] as const;

/** The condition that excludes events like this one; undefined if nothing fits. */
function exclusionFor({ data }: TidingsEvent, query: string): QueryCondition | undefined {
  const { conditions } = parseQuery(query);
  const asked = conditions.filter(({ isExcluded }) => !isExcluded).map(({ key }) => key);
  // A channel that asked for one project means another kind of likeness.
  const key = ALIKE.find(
    (field) => typeof data.record[field] === 'string' && data.record[field] !== '' && !asked.includes(field),
  );
  if (key === undefined) return undefined;
  return { key, isExcluded: true, test: { kind: 'is', text: String(data.record[key]) } };
}

export async function excludeAlike(ports: SlackPorts, running: RunningTask): Promise<void> {
  const found = await findPressed(ports, running);
  if (found === undefined) return;
  const { place } = running.task;
  const { event, subscription } = found;
  const condition = exclusionFor(event, subscription.madeBy?.query ?? event.type);
  if (condition === undefined) {
    await replyTo(ports, running, { text: 'Nothing in this record shows what you want less of.' });
    return;
  }
  const exclusion = printCondition(condition);
  if (!isOfChannel(subscription, place.channel) || subscription.madeBy === undefined) {
    const text = `${code(subscription.name)} is managed by the operator of Tidings, who can exclude these events in the config: ${code(exclusion)}.`;
    await replyTo(ports, running, { text });
    return;
  }
  if (subscription.madeBy.query === undefined) {
    const text = `${code(subscription.name)} has a filter that was changed in the console, which no query can express. Exclude these events there: ${code(exclusion)}.`;
    await replyTo(ports, running, { text });
    return;
  }
  const press = running.task.id;
  const pressIn = (one: Subscription) => exclusionsOf(one).find((each) => each.condition === exclusion);
  const isThere = hasCondition(subscription, exclusion) && pressIn(subscription)?.press !== press;
  // Asked again for the stored one: several people may press at the same time.
  const changed = isThere
    ? subscription
    : await changeQuery(ports, running, subscription.name, (stored) =>
        hasCondition(stored, exclusion)
          ? undefined
          : {
              conditions: [...conditionsOf(stored), condition],
              exclusions: [...exclusionsOf(stored), { condition: exclusion, by: place.user, press }],
            },
      );
  if (changed === undefined) {
    await replyTo(ports, running, { text: ENDED });
    return;
  }
  const pressed = pressIn(changed);
  if (pressed?.press !== press) {
    const text =
      pressed === undefined
        ? `${code(exclusion)} is excluded already.`
        : `${mention(pressed.by)} has excluded ${code(exclusion)} already.`;
    await replyTo(ports, running, { text });
    return;
  }
  const text = `${mention(place.user)} excluded ${code(exclusion)} from ${code(subscription.name)}: fewer messages like this one.`;
  const undo = button('undo', 'Undo', JSON.stringify([subscription.name, press]));
  await sayInThread(ports, running, text, [section(text), actionRow(undo)]);
}

/** Undo of Fewer like this: removes the condition that this press added, if it is still the one of the press. */
export async function includeAgain(ports: SlackPorts, running: RunningTask): Promise<void> {
  const { place, args } = running.task;
  const [name = '', press = ''] = readTexts(args.value ?? '');
  const subscription = await findNamed(ports, name);
  if (subscription === undefined || !isOfChannel(subscription, place.channel)) {
    await replyTo(ports, running, { text: ENDED });
    return;
  }
  const conditionIn = (stored: Subscription) => exclusionsOf(stored).find((one) => one.press === press)?.condition;
  // A repeated run no longer finds what it removed.
  const exclusion = await running.step('exclusion', async () => conditionIn(subscription) ?? '');
  if (exclusion === '') {
    await replyTo(ports, running, { text: sayNotUndone(name, press) });
    return;
  }
  const changed = await changeQuery(ports, running, name, (stored) =>
    conditionIn(stored) === undefined
      ? undefined
      : {
          conditions: conditionsOf(stored).filter((one) => printCondition(one) !== exclusion),
          exclusions: exclusionsOf(stored).filter((one) => one.press !== press),
        },
  );
  if (changed !== undefined && hasCondition(changed, exclusion)) {
    await replyTo(ports, running, { text: sayNotUndone(name, press) });
    return;
  }
  const text = `${mention(place.user)} undid the exclusion of ${code(exclusion)} from ${code(name)}.`;
  await replyTo(ports, running, { text, blocks: [section(text)] }, 'replace');
}

/** The button of an earlier version has the condition instead of the press: somebody may have set the same one on purpose since. */
function sayNotUndone(name: string, press: string): string {
  return press.startsWith('-')
    ? `This button is of an earlier version, which did not store who excluded ${code(press)}: nothing was changed. To get these events again, subscribe without it, then end ${code(name)}.`
    : `This exclusion was undone already, or the conditions of ${code(name)} were changed since: nothing was changed.`;
}

function readTexts(text: string): readonly string[] {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed.map(jsonTextOf) : [];
  } catch {
    return [];
  }
}

const conditionsOf = ({ madeBy }: Subscription) => parseQuery(madeBy?.query ?? '').conditions;

const hasCondition = (subscription: Subscription, text: string) =>
  conditionsOf(subscription).some((one) => printCondition(one) === text);

interface ChangedQuery {
  readonly conditions: readonly QueryCondition[];
  readonly exclusions: readonly PressedExclusion[];
}

/**
 * Changes the query of a subscription of this channel, and everything that follows from it. Returns the subscription afterwards.
 * @param change returns undefined to change nothing
 */
async function changeQuery(
  ports: SlackPorts,
  running: RunningTask,
  name: string,
  change: (stored: Subscription) => ChangedQuery | undefined,
): Promise<Subscription | undefined> {
  const { place } = running.task;
  const changed = (stored: Subscription): Subscription => {
    if (stored.madeBy?.query === undefined || !isOfChannel(stored, place.channel)) return stored;
    const next = change(stored);
    if (next === undefined) return stored;
    const { conditions, exclusions } = next;
    const query = printQuery({ ...parseQuery(stored.madeBy.query), conditions });
    const { where: _, digest: __, quiet: ___, ...rest } = stored;
    // The conditions change. Whether the channel may get other events was not checked.
    const { events: ____, ...compiled } = compileChannelQuery(ports, query);
    return { ...rest, ...compiled, madeBy: { ...stored.madeBy, query, exclusions } };
  };
  return changeSubscription(ports, slackAuthor(running), name, changed, {
    detailsOf: ({ madeBy }) => ({ query: madeBy?.query }),
  });
}
