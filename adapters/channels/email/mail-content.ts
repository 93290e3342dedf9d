/** The content of a mail about one event: the neutral message and the sanitized description of the record. No layout. */

import { clip } from '../../../core/messages/clip.ts';
import { type Links, linkTo } from '../../../core/messages/link.ts';
import { buildNeutralMessage, headlineText, type NeutralMessage } from '../../../core/messages/neutral-message.ts';
import type { Fact } from '../../../core/messages/record-facts.ts';
import type { DeliveryMark } from '../../../core/model/delivery.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import { resourceOf } from '../../../core/resources/catalogue.ts';
import { sanitizeDescription } from './description-html.ts';

/** The frame of every mail: a note on top if it is a replay or a test or its data are old, and the footer. */
export interface MailFrame {
  readonly subscription: string;
  readonly mark: DeliveryMark | undefined;
  /** That the data of a digest are old. @default - they are current */
  readonly outdated?: string;
  readonly unsubscribe: string | undefined;
}

export interface MailContent {
  readonly message: NeutralMessage;
  /** The headline as plain text. */
  readonly headline: string;
  /** Facts except project and client, which have their own line. */
  readonly facts: readonly Fact[];
  readonly changes: readonly Fact[];
  /** The description of the record, as sanitized HTML; '' if there is none. */
  readonly description: string;
  /** Who made the change and when it was detected. */
  readonly byline: string;
  /** Event type and id, for searching the logs. */
  readonly origin: string;
}

const IN_PLACE = ['Project', 'Client'];

export interface MailContentOptions {
  readonly links: Links;
  readonly timeZone: string;
  /** When the mail is sent. */
  readonly at: string;
  /** Other events of the same change. @default - none */
  readonly others?: readonly TidingsEvent[];
}

export function buildMailContent(event: TidingsEvent, { links, ...options }: MailContentOptions): MailContent {
  const message = buildNeutralMessage(event, { ...options, link: linkTo(links, event) });
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
