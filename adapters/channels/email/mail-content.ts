/** What a mail shows of one event: the neutral message, with the record's description as safe HTML. Lays nothing out. */

import { clip } from '../../../core/messages/clip.ts';
import { type Links, linkTo } from '../../../core/messages/link.ts';
import { buildNeutralMessage, headlineText, type NeutralMessage } from '../../../core/messages/neutral-message.ts';
import type { Fact } from '../../../core/messages/record-facts.ts';
import type { DeliveryMark } from '../../../core/model/delivery.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import { resourceOf } from '../../../core/resources/catalogue.ts';
import { sanitizeDescription } from './description-html.ts';

/** What frames every mail: a note on top if it is a replay or a test, and the footer. */
export interface MailFrame {
  readonly subscription: string;
  readonly mark: DeliveryMark | undefined;
  readonly unsubscribe: string | undefined;
}

export interface MailContent {
  readonly message: NeutralMessage;
  /** The headline as plain text. */
  readonly headline: string;
  /** Facts other than the place, which has a line of its own. */
  readonly facts: readonly Fact[];
  readonly changes: readonly Fact[];
  /** What people wrote about the record, as safe HTML; '' if there is nothing. */
  readonly description: string;
  /** Who did it and when it was detected. */
  readonly byline: string;
  /** Event type and id, to search a log for. */
  readonly origin: string;
}

const IN_PLACE = ['Project', 'Client'];

export interface MailContentOptions {
  readonly links: Links;
  readonly timeZone: string;
  /** When the mail is sent. */
  readonly at: string;
}

export function buildMailContent(event: TidingsEvent, { links, timeZone, at }: MailContentOptions): MailContent {
  const message = buildNeutralMessage(event, { timeZone, at, link: linkTo(links, event) });
  const { facts, changes, moreChanges, author, time } = message;
  return {
    message,
    headline: headlineText(message.headline),
    facts: facts.filter(({ label }) => !IN_PLACE.includes(label)),
    changes: moreChanges === 0 ? changes : [...changes, { label: '', value: `and ${moreChanges} more` }],
    description: descriptionOf(message.resource, event),
    byline: author === undefined ? `Detected ${time}` : `By ${author}, detected ${time}`,
    origin: clip(`${event.type} · ${event.id}`, 200),
  };
}

/** The first HTML field of the record. */
function descriptionOf(resource: string, { data: { record } }: TidingsEvent): string {
  const fields = Object.entries(resourceOf(resource)?.fields ?? {});
  for (const [field, { type }] of fields) {
    const value = record[field];
    if (type === 'html' && typeof value === 'string' && value !== '') return sanitizeDescription(value);
  }
  return '';
}
