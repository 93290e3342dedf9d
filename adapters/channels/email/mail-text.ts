/** Lays a mail out as plain text, for text clients and screen readers. */

import { nounFor } from '../../../core/events/phrases.ts';
import { headlineText } from '../../../core/messages/neutral-message.ts';
import type { Fact } from '../../../core/messages/record-facts.ts';
import type { Summary } from '../../../core/messages/summary.ts';
import { descriptionToText } from './description-text.ts';
import type { MailContent, MailFrame } from './mail-content.ts';

const NOTES = {
  replay: 'Sent again on request: this is not new.',
  test: 'Test message: nothing happened.',
} as const;

export function textOfEvent(content: MailContent, frame: MailFrame): string {
  const { headline, facts, message, changes, description, byline, origin } = content;
  const { place, link, resource } = message;
  return joinParts([
    noteFor(frame),
    place === '' ? headline : `${headline}\n${place}`,
    columns(facts),
    changes.length === 0 ? '' : `What changed:\n${columns(changes)}`,
    quoted(descriptionToText(description)),
    link === undefined ? '' : `Open ${nounFor(resource, 1)}: ${link}`,
    closing([byline, origin], frame),
  ]);
}

export function textOfSummary({ title, groups, unlisted }: Summary, frame: MailFrame): string {
  return joinParts([
    noteFor(frame),
    title,
    ...groups.map(({ title: name, count, lines }) =>
      [
        `${name} (${count})`,
        ...lines.map(
          ({ headline, link, who, isNew }) =>
            `- ${[headlineText(headline), who, isNew ? 'new' : ''].filter((part) => part !== '').join(' · ')}${link === undefined ? '' : `\n  ${link}`}`,
        ),
        ...(count > lines.length ? [`- and ${count - lines.length} more`] : []),
      ].join('\n'),
    ),
    unlistedNote(groups, unlisted),
    closing([], frame),
  ]);
}

/** Counts the events of groups that are not listed at all. */
export function unlistedNote(groups: Summary['groups'], unlisted: number): string {
  const counted = groups.reduce((sum, { count, lines }) => sum + count - lines.length, 0);
  const rest = unlisted - counted;
  return rest > 0 ? `and ${rest} more in other projects` : '';
}

export function noteFor({ mark, outdated = '' }: MailFrame): string {
  return mark === undefined ? outdated : NOTES[mark];
}

function closing(lines: readonly string[], { subscription, unsubscribe }: MailFrame): string {
  return [
    // Mail clients recognize a signature by this line.
    '-- ',
    ...lines,
    `Tidings, subscription ${subscription}`,
    ...(unsubscribe === undefined ? [] : [`Unsubscribe: ${unsubscribe}`]),
  ].join('\n');
}

function columns(rows: readonly Fact[]): string {
  const width = Math.max(0, ...rows.map(({ label }) => label.length)) + 1;
  return rows.map(({ label, value }) => `${(label === '' ? '' : `${label}:`).padEnd(width)} ${value}`).join('\n');
}

/** Quotes the description as in replies, because a person wrote it. */
function quoted(text: string): string {
  return text === '' ? '' : text.replaceAll(/^/gm, '> ').replaceAll(/ +$/gm, '');
}

function joinParts(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
