/** A mail as plain text, for those who read it so and for what reads mails aloud. Lays out; decides nothing. */

import type { Summary } from '../../../core/messages/summary.ts';
import { descriptionToText } from './description-text.ts';
import type { MailContent, MailFrame } from './mail-content.ts';

export const NOTES = {
  replay: 'Sent again because somebody asked for it: this is not new.',
  test: 'A test: nothing of this happened.',
} as const;

export function textOfEvent(story: MailContent, setting: MailFrame): string {
  const { headline, place, facts, message, changes, description, byline, origin } = story;
  return lay([
    noteOf(setting),
    place === '' ? headline : `${headline}\n${place}`,
    columns(facts),
    changes.length === 0 ? '' : `What changed:\n${columns(changes)}`,
    quoted(descriptionToText(description)),
    message.link === undefined ? '' : `Open ${message.resource}: ${message.link}`,
    closing([byline, origin], setting),
  ]);
}

export function textOfSummary({ title, groups, unlisted }: Summary, setting: MailFrame): string {
  return lay([
    noteOf(setting),
    title,
    ...groups.map(({ title: name, count, lines }) =>
      [
        `${name} (${count})`,
        ...lines.map(({ line, link }) => `- ${line}${link === undefined ? '' : `\n  ${link}`}`),
        ...(count > lines.length ? [`- and ${count - lines.length} more`] : []),
      ].join('\n'),
    ),
    unlistedNote(groups, unlisted),
    closing([], setting),
  ]);
}

/** Of what is not listed, the part that no group counts. */
export function unlistedNote(groups: Summary['groups'], unlisted: number): string {
  const counted = groups.reduce((sum, { count, lines }) => sum + count - lines.length, 0);
  const rest = unlisted - counted;
  return rest > 0 ? `and ${rest} more in other projects` : '';
}

export function noteOf({ mark }: MailFrame): string {
  return mark === undefined ? '' : NOTES[mark];
}

function closing(lines: readonly string[], { subscription, unsubscribe }: MailFrame): string {
  return [
    // The mark by which mail programs know where a signature begins.
    '-- ',
    ...lines,
    `Tidings, subscription ${subscription}`,
    ...(unsubscribe === undefined ? [] : [`Unsubscribe: ${unsubscribe}`]),
  ].join('\n');
}

function columns(rows: MailContent['facts']): string {
  const width = Math.max(0, ...rows.map(({ label }) => label.length)) + 1;
  return rows.map(({ label, value }) => `${(label === '' ? '' : `${label}:`).padEnd(width)} ${value}`).join('\n');
}

/** As replies quote: it is somebody else's text. */
function quoted(text: string): string {
  return text === '' ? '' : text.replaceAll(/^/gm, '> ').replaceAll(/ +$/gm, '');
}

function lay(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
