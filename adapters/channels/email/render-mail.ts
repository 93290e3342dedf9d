/**
 * What a mail says about the events of a parcel: subject, text and HTML that tell the same. One event is told with its
 * facts, many as a summary. Pure; knows no headers, no threads and no sending.
 */

import type { Links } from '../../../core/messages/link.ts';
import { clip } from '../../../core/messages/neutral-message.ts';
import { onePerTransition, type Summary, summarise } from '../../../core/messages/summary.ts';
import type { DeliveryMark } from '../../../core/model/delivery.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import type { OutboundMessage } from '../../../core/ports/channel.ts';
import { buildMailContent, type MailContent, type MailFrame } from './mail-content.ts';
import { htmlOfEvent, htmlOfSummary, htmlOfWords } from './mail-html.ts';
import { textOfEvent, textOfSummary } from './mail-text.ts';

export interface Mail {
  /** One line of at most 150 characters. */
  readonly subject: string;
  readonly text: string;
  /** A whole document. @default - the mail is plain text */
  readonly html?: string;
}

/** Words of a subscription's own, in place of ours. */
export interface TemplateParts {
  /** @default - ours */
  readonly subject?: string;
  /** @default - ours */
  readonly text?: string;
  /** A piece of a document, harmless already. @default - ours, or none when `text` is given */
  readonly html?: string;
}

export interface MailOptions {
  /** @default - ours */
  readonly template?: TemplateParts;
  /** Where this reader ends the subscription. Own words do not show it. @default - no such place */
  readonly unsubscribe?: string;
}

/** Longer ones are cut by every mailbox. */
const SUBJECT = 150;

const DIGEST_LINES = 40;
const HEAP_LINES = 12;

const MARKS: Readonly<Record<DeliveryMark, string>> = { replay: '[Replay] ', test: '[Test] ' };

export function renderMail(
  parcel: OutboundMessage,
  links: Links = {},
  { template: words = {}, unsubscribe }: MailOptions = {},
): Mail {
  const { subscription, events, mark, timeZone } = parcel;
  const setting: MailFrame = { subscription: clip(subscription.name, 64), mark, unsubscribe };
  const [only, ...others] = onePerTransition(events);
  const own =
    only !== undefined && others.length === 0
      ? mailOfEvent(buildMailContent(only, links, timeZone), setting)
      : mailOfSummary(events, links, setting, subscription.digest !== undefined);
  const subject = subjectOf(words.subject ?? own.subject, mark);
  const framed = words.html === undefined ? undefined : htmlOfWords(words.html, setting, subject);
  const html = framed ?? (words.text === undefined ? own.html : undefined);
  return {
    subject,
    text: words.text ?? own.text,
    ...(html === undefined ? {} : { html }),
  };
}

function subjectOf(subject: string, mark: DeliveryMark | undefined): string {
  return headerText(`${mark === undefined ? '' : MARKS[mark]}${subject}`, SUBJECT) || 'Tidings';
}

/** Text for a header. `=?UTF-8?Q?…?=` in it would be read as something else, line breaks included. */
export function headerText(text: string, length: number): string {
  return clip(text.replaceAll('=?', '= ?'), length);
}

function mailOfEvent(story: MailContent, setting: MailFrame): Required<Mail> {
  const subject = clip(story.message.line, SUBJECT);
  return { subject, text: textOfEvent(story, setting), html: htmlOfEvent(story, setting, subject) };
}

function mailOfSummary(
  events: readonly TidingsEvent[],
  links: Links,
  setting: MailFrame,
  isDigest: boolean,
): Required<Mail> {
  // A digest is read to the end, over coffee; of a sudden heap of changes the first few say what it is.
  const summary = summarise(events, { links, most: isDigest ? DIGEST_LINES : HEAP_LINES });
  const [group] = summary.groups;
  const place = group?.count === summary.count ? `: ${group.title}` : '';
  const title = withoutRepeats(summary.title);
  const subject = clip(isDigest ? `Tidings: ${title}` : `${title}${place}`, SUBJECT);
  const told: Summary = { ...summary, title, groups: summary.groups.map(withoutPlace) };
  return { subject, text: textOfSummary(told, setting), html: htmlOfSummary(told, setting, subject) };
}

/** `12 tasks overdue, 3 tasks due soon`: the second `tasks` says nothing new. */
function withoutRepeats(title: string): string {
  let known = '';
  const parts = title.split(', ').map((part) => {
    const [count, noun = '', ...rest] = part.split(' ');
    const isKnown = noun !== '' && noun === known;
    known = noun;
    return isKnown && rest.length > 0 ? [count, ...rest].join(' ') : part;
  });
  return parts.join(', ');
}

/** Under the heading of a project no line need name it again. */
function withoutPlace(group: Summary['groups'][number]): Summary['groups'][number] {
  const place = ` in ${group.title}`;
  const shorten = (line: string) => {
    const at = line.lastIndexOf(place);
    const rest = line.slice(at + place.length);
    return at > 0 && (rest === '' || rest.startsWith(' for ')) ? line.slice(0, at) : line;
  };
  return { ...group, lines: group.lines.map((one) => ({ ...one, line: shorten(one.line) })) };
}
