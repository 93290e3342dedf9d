/**
 * What a mail tells of one event, taken apart for whoever lays it out: headline, place, facts, what people wrote. No markup
 * of ours, and none of theirs that is not safe.
 */

import { amount, placeOf } from '../../../core/events/facts.ts';
import { type Links, linkTo } from '../../../core/messages/link.ts';
import { buildNeutralMessage, clip, type NeutralMessage } from '../../../core/messages/neutral-message.ts';
import type { DeliveryMark } from '../../../core/model/delivery.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import { resourceOf } from '../../../core/resources/catalogue.ts';
import { sanitizeDescription } from './description-html.ts';

/** What stands at the end of every mail, and above it when it is not news. */
export interface MailFrame {
  readonly subscription: string;
  readonly mark: DeliveryMark | undefined;
  readonly unsubscribe: string | undefined;
}

/** One event, ready to be laid out. */
export interface MailContent {
  /** The line, without the place it is in. */
  readonly headline: string;
  /** The record's name where the headline has it, so that it can be a link. */
  readonly title: string | undefined;
  /** `Northwind Traders · Website relaunch` */
  readonly place: string;
  readonly message: NeutralMessage;
  /** Facts that are not in the place already. */
  readonly facts: NeutralMessage['facts'];
  readonly changes: NeutralMessage['facts'];
  /** What people wrote about it, as safe HTML; '' when nobody did. */
  readonly description: string;
  /** Who did it and when it was seen. */
  readonly byline: string;
  /** What to search a log for. */
  readonly origin: string;
}

/** The labels of facts that the place tells. */
const IN_PLACE = ['Project', 'Client'];

export function buildMailContent(event: TidingsEvent, links: Links, timeZone: string): MailContent {
  const link = linkTo(links, event);
  const message = buildNeutralMessage(event, { timeZone, ...(link === undefined ? {} : { link }) });
  const { record, by } = event.data;
  const place = clip(placeOf(record), 300);
  const isInLine = place !== '' && message.line.endsWith(` ${place}`);
  const headline = isInLine ? message.line.slice(0, -place.length - 1) : message.line;
  const title = clip(resourceOf(message.resource)?.title(record) ?? '', 300);
  const author = by === undefined ? '' : clip(by.name ?? `person ${by.id}`, 80);
  return {
    headline,
    title: title !== '' && headline.includes(`“${title}”`) ? title : undefined,
    place: IN_PLACE.toReversed()
      .flatMap((name) => message.facts.filter(({ label }) => label === name).map(({ value }) => value))
      .join(' · '),
    message,
    facts: message.facts.filter(({ label }) => !IN_PLACE.includes(label)),
    changes: message.changes.map(changeOf),
    description: descriptionOf(message.resource, event),
    byline: author === '' ? `Seen ${message.time}` : `By ${author}, seen ${message.time}`,
    origin: clip(`${event.type} · ${event.id}`, 200),
  };
}

/** Fields as people call them. Others keep the name they have. */
const FIELDS: Readonly<Record<string, string>> = {
  actual: 'Time spent',
  assignees: 'Assigned to',
  balance: 'Left to pay',
  dateclosed: 'Closed on',
  datedue: 'Due',
  dateend: 'End',
  dateopen: 'Start',
  datepaid: 'Paid on',
  datestart: 'Start',
  followers: 'Followed by',
  owners: 'Owned by',
  payments: 'Paid',
  severity: 'Priority',
};

const MONEY = ['amount', 'balance', 'fee', 'payments', 'subtotal', 'taxamount', 'total'];

/** `datedue: 2026-11-18 → 2026-11-20`, as a label and what became of it. */
function changeOf(change: string): NeutralMessage['facts'][number] {
  const at = change.indexOf(': ');
  if (at === -1) return { label: '', value: change };
  const field = change.slice(0, at);
  const value = change.slice(at + 2);
  return {
    label: Object.hasOwn(FIELDS, field)
      ? (FIELDS[field] ?? field)
      : `${field.slice(0, 1).toUpperCase()}${field.slice(1)}`,
    value: MONEY.includes(field) ? value.replaceAll(/-?\d+(?:\.\d+)?/g, (number) => amount(Number(number))) : value,
  };
}

/** The first text of the record that people format. */
function descriptionOf(resource: string, { data: { record } }: TidingsEvent): string {
  const fields = Object.entries(resourceOf(resource)?.fields ?? {});
  for (const [field, { type }] of fields) {
    const value = record[field];
    if (type === 'html' && typeof value === 'string' && value !== '') return sanitizeDescription(value);
  }
  return '';
}
