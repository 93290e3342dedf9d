/**
 * The channel-neutral message about several events: one line per change, grouped by project, oldest first, with
 * counts. Plain text of bounded length, as in neutral-message.ts.
 */

import { eventTypeOf } from '../events/catalogue.ts';
import type { Urgency } from '../events/event-type.ts';
import { placeOf, textField } from '../events/facts.ts';
import { countOf, nounFor, upperFirst } from '../events/phrases.ts';
import type { TidingsEvent } from '../model/event.ts';
import type { Recipient } from '../ports/channel.ts';
import { groupByChange } from './change-events.ts';
import { clip } from './clip.ts';
import { clipNames } from './clip-names.ts';
import { httpLink, type Links, linkTo } from './link.ts';
import { type Headline, headlineOf, lineOf, urgencyOf } from './neutral-message.ts';
import { findWorkers } from './people-concerned.ts';

export interface SummaryLine {
  /** The whole sentence with project and client, in one line. */
  readonly line: string;
  /** The sentence without project and client, which the group shows. */
  readonly headline: Headline;
  readonly urgency: Urgency;
  /** The type of the event that the line leads with. */
  readonly type: string;
  /** `task/412` */
  readonly subject: string;
  /** `Ann Vogt and Ben Okafor`: who works on it, if neither the sentence nor the heading says so; '' if unknown. */
  readonly who: string;
  /** Whether it is new in an open digest. */
  readonly isNew: boolean;
  readonly link: string | undefined;
}

export interface SummaryGroup {
  /** The project, and without one the client or the resource; or the person. */
  readonly title: string;
  /** The number of lines, including those that are not listed. */
  readonly count: number;
  readonly lines: readonly SummaryLine[];
}

export interface Summary {
  /** `12 tasks overdue, payments received on 3 invoices` */
  readonly title: string;
  /** The highest urgency of all lines. */
  readonly urgency: Urgency;
  /** The number of lines. A change of several people has one under the name of each. */
  readonly count: number;
  readonly groups: readonly SummaryGroup[];
  /** The number of lines that are counted but not listed. */
  readonly unlisted: number;
}

export interface SummaryOptions {
  readonly links?: Links;
  /** The maximum number of lines, which stays below Slack's limit of 50 blocks. @default 30 */
  readonly maxLines?: number;
  /** @default project */
  readonly groupBy?: 'project' | 'person';
  /** The only reader, who does not need to read their own name. @default - a team */
  readonly reader?: Recipient;
  /** The ids of the events that are new in an open digest. @default - no line is marked as new */
  readonly fresh?: readonly string[];
  /** Of the readers. @default - that of the source, see sayEvent */
  readonly timeZone?: string;
}

const MAX_LINES = 30;
/** Of the whole message. With a greeting it stays below the limit of every chat and of a mail's subject. */
const MAX_TITLE_LENGTH = 110;
const MAX_HEADING_LENGTH = 150;
const MAX_READER_LENGTH = 40;
/** Highest urgency first. */
const URGENCIES: readonly Urgency[] = ['late', 'soon', 'good', 'plain'];

type Change = readonly [TidingsEvent, ...TidingsEvent[]];

export function summarise(
  events: readonly TidingsEvent[],
  { links = {}, maxLines = MAX_LINES, groupBy = 'project', reader, fresh = [], timeZone }: SummaryOptions = {},
): Summary {
  const sorted = dropRepeated(
    groupByChange(events).toSorted(([a], [b]) => compareText(sinceWhen(a), sinceWhen(b))),
    timeZone,
  );
  const headingsOf = groupBy === 'person' ? peopleHeadings : (event: TidingsEvent) => [groupOf(event)];
  const entries = sorted.flatMap((change) => headingsOf(change[0]).map((heading) => ({ heading, change })));
  // By the person, not by the name, which a colleague may have too.
  const grouped = [...Map.groupBy(entries, ({ heading }) => `${heading.title}\n${heading.person ?? ''}`)].toSorted(
    ([a], [b]) => compareText(a, b),
  );
  const freshIds = new Set(fresh);
  let linesLeft = maxLines;
  const groups = grouped.map(([, members]): SummaryGroup => {
    const listed = members.slice(0, Math.max(0, linesLeft));
    linesLeft -= listed.length;
    return {
      title: clip(members[0]?.heading.title ?? '', MAX_HEADING_LENGTH),
      count: members.length,
      lines: listed.map(({ heading, change }) =>
        toLine(change, heading, { links, fresh: freshIds, timeZone, reader: reader?.name ?? undefined }),
      ),
    };
  });
  const leads = sorted.map(([lead]) => lead);
  const urgencies = leads.map(urgencyOf);
  return {
    title: upperFirst(titleOf(leads, reader)),
    urgency: URGENCIES.find((urgency) => urgencies.includes(urgency)) ?? 'plain',
    count: entries.length,
    groups: groups.filter(({ lines }) => lines.length > 0),
    unlisted: entries.length - groups.reduce((sum, { lines }) => sum + lines.length, 0),
  };
}

/** Two changes of one record may have the same line, because a message describes the present: the last one stays. */
function dropRepeated(changes: readonly Change[], timeZone: string | undefined): readonly Change[] {
  const lines = new Map(
    changes.map((change) => [`${recordOf(change[0])} ${lineOf(change[0], change.slice(1), timeZone)}`, change]),
  );
  const kept = new Set(lines.values());
  return changes.filter((change) => kept.has(change));
}

const recordOf = ({ source, subject }: TidingsEvent) => `${source} ${subject}`;

interface LineOptions {
  readonly links: Links;
  readonly fresh: ReadonlySet<string>;
  readonly timeZone: string | undefined;
  /** The name of the only reader. Undefined for a team. */
  readonly reader: string | undefined;
}

function toLine([lead, ...others]: Change, heading: Heading, options: LineOptions): SummaryLine {
  const { links, fresh, timeZone, reader } = options;
  const { type, subject } = lead;
  const line = lineOf(lead, others, timeZone);
  return {
    line,
    headline: headlineOf(lead, others, timeZone),
    urgency: urgencyOf(lead),
    type,
    subject,
    who: whoWorksOn(lead, line, heading, reader),
    isNew: [lead, ...others].some(({ id }) => fresh.has(id)),
    link: httpLink(linkTo(links, lead)),
  };
}

const MAX_NAMES = 3;
const MAX_WHO_LENGTH = 100;

/** Leaves out whom the heading or the sentence names, and the reader. A colleague of the same name stays. */
function whoWorksOn(event: TidingsEvent, line: string, heading: Heading, reader: string | undefined): string {
  const workers = findWorkers(event);
  if (workers === undefined) return '';
  const { urgency } = eventTypeOf(event.type) ?? {};
  if (workers.length === 0)
    return (urgency === 'late' || urgency === 'soon') && heading.title !== UNASSIGNED ? 'unassigned' : '';
  const { record } = event.data;
  // A title or a project may contain a name as well.
  const sentence = line.replace(placeOf(record), '').replaceAll(textField(record, 'title') ?? ' ', ' ');
  const names = workers.map(({ name }) => name).filter((name) => !sentence.includes(name));
  for (const known of [heading.isPerson ? heading.title : undefined, reader])
    if (known !== undefined && names.includes(known)) names.splice(names.indexOf(known), 1);
  return clipNames(names, MAX_WHO_LENGTH, MAX_NAMES);
}

const UNASSIGNED = 'Unassigned';

/** The title of a group, and whose group it is. */
interface Heading {
  readonly title: string;
  readonly isPerson: boolean;
  readonly person?: string | undefined;
}

/** A line for each person who works on the record. Records that nobody works on, such as invoices, keep their own heading. */
function peopleHeadings(event: TidingsEvent): readonly Heading[] {
  const workers = findWorkers(event);
  if (workers === undefined) return [groupOf(event)];
  if (workers.length === 0) return [{ title: UNASSIGNED, isPerson: false }];
  const unique = new Map(workers.map((worker) => [worker.person ?? worker.name, worker]));
  return [...unique.values()].map(({ name, person }) => ({ title: name, isPerson: true, person }));
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** The sort key: the due or end date if it has passed, otherwise when it happened. After downtime all events have the same time. */
function sinceWhen({ time, data: { record, occurred } }: TidingsEvent): string {
  const date = record.datedue ?? record.dateend;
  return typeof date === 'string' && date < time ? date : (occurred?.before ?? time);
}

function groupOf({ subject, data: { record } }: TidingsEvent): Heading {
  const resource = subject.slice(0, subject.indexOf('/'));
  const fields = resource === 'project' ? ['project', 'client', 'name'] : ['project', 'client'];
  const [title = upperFirst(nounFor(resource, 2))] = fields.flatMap((field) => textField(record, field) ?? []);
  return { title, isPerson: false };
}

/**
 * `12 tasks overdue, 3 invoices paid`, most frequent first. Counts records: one task may have changed three times. Phrases that
 * do not fit are left out: half a number is another one.
 */
function titleOf(events: readonly TidingsEvent[], reader: Recipient | undefined): string {
  const counts = [...Map.groupBy(events, ({ type }) => type)].map(([type, members]) => ({
    type,
    records: new Set(members.map(recordOf)).size,
    events: members.length,
  }));
  const phrases = counts
    .toSorted((a, b) => b.records - a.records || compareText(a.type, b.type))
    .map(
      (one) =>
        sayYours(one.type, one.records, reader) ??
        eventTypeOf(one.type)?.sayMany?.(one.records, one.events) ??
        sayCount(one.type, one.records),
    );
  const whose = forWhom(reader);
  for (let shown = phrases.length; shown > 0; shown--) {
    const title = `${phrases.slice(0, shown).join(', ')}${shown < phrases.length ? ' and more' : ''}${whose}`;
    if (title.length <= MAX_TITLE_LENGTH) return clip(title, MAX_TITLE_LENGTH);
  }
  // A custom type may have any name.
  return `${clip(phrases[0] ?? '', MAX_TITLE_LENGTH - whose.length)}${whose}`;
}

/** `12 tasks overdue`, `due date changed on 2 tasks` */
function sayCount(type: string, count: number): string {
  const [resource = '', name = ''] = type.split('.');
  const what = name.replaceAll('_', ' ');
  return what.endsWith(' changed') ? `${what} on ${countOf(count, resource)}` : `${countOf(count, resource)} ${what}`;
}

const STATES: Readonly<Record<string, string>> = {
  overdue: 'overdue',
  due_soon: 'due soon',
  ending_soon: 'ending soon',
  past_end: 'past the end date',
};

/** `3 of your tasks are overdue`, if all of them concern the only reader. */
function sayYours(type: string, count: number, reader: Recipient | undefined): string | undefined {
  const [resource = '', name = ''] = type.split('.');
  const state = STATES[name];
  // The fallback reads messages of others.
  if (state === undefined || reader === undefined || reader.name === null || reader.address === null) return undefined;
  const all = nounFor(resource, 2);
  const whose =
    reader.role === 'followers'
      ? `the ${all} you follow`
      : reader.role === 'projectmanager' && resource !== 'project'
        ? `the ${all} of your projects`
        : `your ${all}`;
  return `${count.toLocaleString('en')} of ${whose} ${count === 1 ? 'is' : 'are'} ${state}`;
}

/** The fallback reads for whom the message was. */
function forWhom(reader: Recipient | undefined): string {
  return reader === undefined || reader.name === null || reader.address !== null
    ? ''
    : ` (${clip(reader.name, MAX_READER_LENGTH)})`;
}
