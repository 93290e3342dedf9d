/**
 * Renders the events of a delivery as a mail: subject, text and HTML with the same content. One event is shown with its
 * facts, several as a summary. Headers are added in compose-mail.ts.
 */

import { groupByChange } from '../../../core/messages/change-events.ts';
import { sayOutdated } from '../../../core/messages/chat-card.ts';
import { clip } from '../../../core/messages/clip.ts';
import type { Links } from '../../../core/messages/link.ts';
import { lineOf } from '../../../core/messages/neutral-message.ts';
import { summarise } from '../../../core/messages/summary.ts';
import type { DeliveryMark } from '../../../core/model/delivery.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import type { OutboundMessage } from '../../../core/ports/channel.ts';
import { headerText } from './header-text.ts';
import { buildMailContent, type MailContentOptions, type MailFrame } from './mail-content.ts';
import { htmlOfEvent, htmlOfSummary, htmlOfTemplate } from './mail-html.ts';
import { textOfEvent, textOfSummary } from './mail-text.ts';

export interface Mail {
  /** One line of at most 150 characters. */
  readonly subject: string;
  readonly text: string;
  /** A whole document. @default - the mail is plain text */
  readonly html?: string;
}

/** The parts that the subscription's template rendered. Each replaces the default part. */
interface TemplateParts {
  /** @default - the default part */
  readonly subject?: string;
  /** @default - the default part */
  readonly text?: string;
  /** A sanitized fragment. @default - the default part, or none when `text` is given */
  readonly html?: string;
}

export interface MailOptions {
  /** @default - the default part */
  readonly template?: TemplateParts;
  /** The unsubscribe link of this reader. @default - none */
  readonly unsubscribe?: string;
}

/** Mail clients cut longer subjects. */
const MAX_SUBJECT_LENGTH = 150;

/** A digest is read completely; for a batch of changes, the first few lines are enough. */
const MAX_DIGEST_LINES = 40;
const MAX_BATCH_LINES = 12;

const MARKS: Readonly<Record<DeliveryMark, string>> = { replay: '[Replay] ', test: '[Test] ' };

export function renderMail(
  outbound: OutboundMessage,
  links: Links = {},
  { template = {}, unsubscribe }: MailOptions = {},
): Mail {
  const { subscription, events, mark, timeZone, at, fresh, outdated } = outbound;
  const frame: MailFrame = {
    subscription: clip(subscription.name, 64),
    mark,
    outdated: outdated === undefined ? undefined : sayOutdated(outdated, timeZone),
    unsubscribe,
  };
  const [only, ...more] = groupByChange(events);
  const defaults =
    only !== undefined && more.length === 0 && fresh === undefined
      ? mailOfEvent(only, { links, timeZone, at }, frame)
      : mailOfSummary(outbound, links, frame);
  const subject = subjectOf(template.subject ?? defaults.subject, mark);
  const framed = template.html === undefined ? undefined : htmlOfTemplate(template.html, frame, subject);
  const html = framed ?? (template.text === undefined ? defaults.html : undefined);
  return { subject, text: template.text ?? defaults.text, html };
}

/** The room that the mark leaves. */
const roomFor = (mark: DeliveryMark | undefined) => MAX_SUBJECT_LENGTH - (mark === undefined ? 0 : MARKS[mark].length);

function subjectOf(subject: string, mark: DeliveryMark | undefined): string {
  return headerText(`${mark === undefined ? '' : MARKS[mark]}${subject}`, MAX_SUBJECT_LENGTH) || 'Tidings';
}

function mailOfEvent(
  [lead, ...others]: readonly [TidingsEvent, ...TidingsEvent[]],
  options: Omit<MailContentOptions, 'others'>,
  frame: MailFrame,
): Required<Mail> {
  const content = buildMailContent(lead, { ...options, others });
  const subject = lineOf(lead, others, options.timeZone, roomFor(frame.mark));
  return { subject, text: textOfEvent(content, frame), html: htmlOfEvent(content, frame, subject) };
}

function mailOfSummary(
  { events, subscription: { digest }, fresh, recipient, timeZone }: OutboundMessage,
  links: Links,
  frame: MailFrame,
): Required<Mail> {
  const isDigest = digest !== undefined;
  const maxLines = isDigest ? MAX_DIGEST_LINES : MAX_BATCH_LINES;
  const summary = summarise(events, { links, maxLines, groupBy: digest?.groupBy, reader: recipient, fresh, timeZone });
  const [group] = summary.groups;
  // A group without a project has the name of its resource, which the title already contains.
  const isNew = !summary.title.toLowerCase().includes(group?.title.toLowerCase() ?? '');
  const place = group?.count === summary.count && isNew ? `: ${group.title}` : '';
  const room = roomFor(frame.mark) - summary.title.length;
  const subject = isDigest ? `Tidings: ${summary.title}` : `${summary.title}${clip(place, room)}`;
  return { subject, text: textOfSummary(summary, frame), html: htmlOfSummary(summary, frame, subject) };
}
