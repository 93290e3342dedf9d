/** Says in words what a subscription asks for: which events, with which content, to whom and when. Pure. */

import type { EventType } from '../core/events/event-type.ts';
import { lowerFirst, nounFor } from '../core/events/phrases.ts';
import { printQuery, type QueryCondition, type QueryTest } from '../core/filters/query.ts';
import { queryFromSubscription } from '../core/filters/query-from.ts';
import {
  DAY_NAMES,
  type Digest,
  type PersonRole,
  type QuietHours,
  type Subscription,
  WEEKDAYS,
  type Weekday,
} from '../core/model/subscription.ts';

export type DescribedSubscription = Pick<Subscription, 'events' | 'where' | 'digest' | 'quiet'> & {
  /** The receiver: `Slack #finance`. */
  readonly address: string;
};

export interface SubscriptionWords {
  /** `When a task is overdue and its project is “Website relaunch”, Slack #ops gets one message on weekdays at 08:30.` */
  readonly sentence: string;
  /** The query that says the same. @default - the query language cannot express it */
  readonly query?: string;
}

/** Kinds of events that the sentence names. */
const MAX_KINDS = 4;

export function describeSubscription(
  subscription: DescribedSubscription,
  types: readonly EventType[],
): SubscriptionWords {
  const { events, where, digest, quiet, address } = subscription;
  const filter = { events, where, ...(digest && { digest: scheduleOf(digest) }), quiet };
  const query = queryFromSubscription(
    filter,
    types.map(({ type }) => type),
  );
  const kinds = events.map((glob) => describeGlob(glob, types));
  const what = joinWords([...kinds.slice(0, MAX_KINDS), ...moreKinds(kinds.length - MAX_KINDS)], 'or');
  const conditions = query === undefined ? undefined : joinConditions(query.conditions);
  const content = where === undefined ? '' : (conditions ?? ' and its content matches the filter');
  const when = digest === undefined ? 'a message' : `one message ${describeDigest(digest)}`;
  const receiver = nameReceiver(address);
  const sentence = `When ${what}${content}, ${receiver.subject} ${when}${receiver.where}.${quiet === undefined ? '' : ` ${describeQuiet(quiet)}`}`;
  return { sentence, ...(query === undefined ? {} : { query: printQuery(query) }) };
}

/** Who gets it, with the verb. The address may be a variable of the config, people by their role, or a list of addresses. */
function nameReceiver(address: string): { readonly subject: string; readonly where: string } {
  const [, variable] = /^\$\{(\w+)\}$/.exec(address) ?? [];
  if (variable !== undefined) return { subject: `the receiver whose address is in ${variable} gets`, where: '' };
  const [, chat = '', role = ''] = /^(?:(.+) )?(\w+)$/.exec(address) ?? [];
  const people = PEOPLE[role];
  if (people !== undefined) return { subject: `${people} gets`, where: chat === '' ? '' : ` in ${chat}` };
  const addresses = address.split(', ');
  const subject = addresses.length === 1 ? `${address} gets` : `${joinWords(addresses, 'and')} each get`;
  return { subject, where: '' };
}

const PEOPLE: Readonly<Record<string, string | undefined>> = {
  assignees: 'each of its assignees',
  owners: 'each of its owners',
  followers: 'each of its followers',
  projectmanager: 'the manager of its project',
} satisfies Record<PersonRole, string>;

/** What the query language can say about a digest. */
function scheduleOf({ at, days }: Digest): Digest {
  return { at, ...(days && { days }) };
}

function moreKinds(count: number): readonly string[] {
  return count <= 0 ? [] : [`${count} more ${count === 1 ? 'kind of event happens' : 'kinds of events happen'}`];
}

/** `a task is overdue`, `anything happens to an invoice`, `anything happens` */
function describeGlob(glob: string, types: readonly EventType[]): string {
  if (glob === '*' || glob === '*.*') return 'anything happens';
  const eventType = types.find(({ type }) => type === glob);
  if (eventType !== undefined) return lowerFirst(eventType.meaning.replace(/\.$/, ''));
  const [resource = '', rest] = glob.split('.');
  if (rest === '*' && !resource.includes('*')) return `anything happens to ${withArticle(nounFor(resource, 1))}`;
  return `an event ${glob} happens`;
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

/** The same word twice is an alternative. */
function joinConditions(conditions: readonly QueryCondition[]): string {
  const byKey = Map.groupBy(conditions, ({ key, isExcluded }) => `${key} ${isExcluded}`);
  const groups = [...byKey.values()].map((group) => {
    const [{ key, isExcluded } = { key: '', isExcluded: false }] = group;
    const isRange = group.every(({ test }) => test.kind === 'compare');
    const tests = joinWords(
      group.map(({ test }) => describeTest(test)),
      isRange ? 'and' : 'or',
    );
    return `its ${key} is ${isExcluded ? 'not ' : ''}${tests}`;
  });
  return groups.length === 0 ? '' : ` and ${groups.join(' and ')}`;
}

const SIGN_WORDS = { '>=': 'at least', '<=': 'at most', '>': 'more than', '<': 'less than', '=': '' } as const;
const DATE_SIGN_WORDS = { '>=': 'on or after', '<=': 'on or before', '>': 'after', '<': 'before', '=': '' } as const;

function describeTest(test: QueryTest): string {
  switch (test.kind) {
    case 'none':
      return 'empty';
    case 'is':
      return `“${test.text}”`;
    case 'like':
      return `like “${test.pieces.join('*')}”`;
    case 'compare': {
      const words = typeof test.bound === 'number' ? SIGN_WORDS : DATE_SIGN_WORDS;
      return `${words[test.sign]} ${test.bound}`.trim();
    }
  }
}

/** `every day at 08:30`, `on Monday at 08:30`, `from Monday to Friday at 08:30` */
function describeDigest({ at, days }: Digest): string {
  return `${days === undefined ? 'every day' : describeDays(days)} at ${at}`;
}

/** `Nothing is sent from 18:00 to 08:00 and on Saturday and Sunday: it is sent afterwards.` */
function describeQuiet({ from, until, days }: QuietHours): string {
  const hours = from === undefined || until === undefined ? [] : [`from ${from} to ${until}`];
  const onDays = days === undefined ? [] : [describeDays(days)];
  return `Nothing is sent ${[...hours, ...onDays].join(', nor ')}: it is sent afterwards.`;
}

function describeDays(days: readonly Weekday[]): string {
  const sorted = WEEKDAYS.filter((day) => days.includes(day));
  const [first = 'mon'] = sorted;
  const last = sorted.at(-1) ?? first;
  const isRun = WEEKDAYS.indexOf(last) - WEEKDAYS.indexOf(first) === sorted.length - 1;
  if (sorted.length === WEEKDAYS.length) return 'every day';
  if (isRun && sorted.length > 2) return `from ${DAY_NAMES[first]} to ${DAY_NAMES[last]}`;
  return `on ${joinWords(
    sorted.map((day) => DAY_NAMES[day]),
    'and',
  )}`;
}

/** `a, b or c` */
function joinWords(words: readonly string[], last: 'and' | 'or'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}
