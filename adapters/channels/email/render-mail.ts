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

export function renderMail(outbound: OutboundMessage, links: Links = {}, options: MailOptions = {}): Mail {
  const { unsubscribe, ...shared } = options;
  return prepareMail(outbound, links, shared)(unsubscribe);
}

/** Lays the mail out for one reader. */
type RenderFor = (unsubscribe: string | undefined) => Mail;

/**
 * Does what is the same for all readers once: the summary of thousands of events takes a hundred times as long as its layout, and a
 * list may have thousands of readers.
 */
export function prepareMail(
  outbound: OutboundMessage,
  links: Links,
  { template = {} }: Pick<MailOptions, 'template'>,
): RenderFor {
  const { subscription, events, mark, timeZone, at, fresh, outdated } = outbound;
  const shared: Omit<MailFrame, 'unsubscribe'> = {
    subscription: clip(subscription.name, 64),
    mark,
    outdated: outdated === undefined ? undefined : sayOutdated(outdated, timeZone),
  };
  const [only, ...more] = groupByChange(events);
  const defaults =
    only !== undefined && more.length === 0 && fresh === undefined
      ? mailOfEvent(only, { links, timeZone, at }, mark)
      : mailOfSummary(outbound, links);
  const subject = subjectOf(template.subject ?? defaults.subject, mark);
  return (unsubscribe) => {
    const frame = { ...shared, unsubscribe };
    const framed = template.html === undefined ? undefined : htmlOfTemplate(template.html, frame, subject);
    const html = framed ?? (template.text === undefined ? defaults.html(frame) : undefined);
    return { subject, text: template.text ?? defaults.text(frame), html };
  };
}

/** The default mail, without the frame of a reader. */
interface DefaultMail {
  readonly subject: string;
  text(frame: MailFrame): string;
  html(frame: MailFrame): string;
}

/** The room that the mark leaves. */
const roomFor = (mark: DeliveryMark | undefined) => MAX_SUBJECT_LENGTH - (mark === undefined ? 0 : MARKS[mark].length);

function subjectOf(subject: string, mark: DeliveryMark | undefined): string {
  return headerText(`${mark === undefined ? '' : MARKS[mark]}${subject}`, MAX_SUBJECT_LENGTH) || 'Tidings';
}

function mailOfEvent(
  [lead, ...others]: readonly [TidingsEvent, ...TidingsEvent[]],
  options: Omit<MailContentOptions, 'others'>,
  mark: DeliveryMark | undefined,
): DefaultMail {
  const content = buildMailContent(lead, { ...options, others });
  const subject = lineOf(lead, others, options.timeZone, roomFor(mark));
  return {
    subject,
    text: (frame) => textOfEvent(content, frame),
    html: (frame) => htmlOfEvent(content, frame, subject),
  };
}

function mailOfSummary(
  { events, subscription: { digest }, fresh, recipient, timeZone, mark }: OutboundMessage,
  links: Links,
): DefaultMail {
  const isDigest = digest !== undefined;
  const maxLines = isDigest ? MAX_DIGEST_LINES : MAX_BATCH_LINES;
  const summary = summarise(events, { links, maxLines, groupBy: digest?.groupBy, reader: recipient, fresh, timeZone });
  const [group] = summary.groups;
  // A group without a project has the name of its resource, which the title already contains.
  const isNew = !summary.title.toLowerCase().includes(group?.title.toLowerCase() ?? '');
  const place = group?.count === summary.count && isNew ? `: ${group.title}` : '';
  const room = roomFor(mark) - summary.title.length;
  const subject = isDigest ? `Tidings: ${summary.title}` : `${summary.title}${clip(place, room)}`;
  return {
    subject,
    text: (frame) => textOfSummary(summary, frame),
    html: (frame) => htmlOfSummary(summary, frame, subject),
  };
}
