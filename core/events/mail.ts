/** An event as a mail: subject, text and HTML that say the same. Knows no headers, no threads and no sending. */

import type { TidingsEvent } from '../model/event.ts';
import type { Urgency } from './event-type.ts';
import { clip, type Message, type MessageOptions, messageOf } from './message.ts';

export interface Mail {
  /** One line of at most 150 characters. */
  readonly subject: string;
  readonly text: string;
  /** A whole document. */
  readonly html: string;
}

/** Longer ones are cut by every mailbox. */
const SUBJECT = 150;

const COLOURS: Readonly<Record<Urgency, string>> = {
  good: '#1a7f4b',
  plain: '#3b5b8c',
  soon: '#b26a00',
  late: '#b3261e',
};

export function mailOf(event: TidingsEvent, options: MessageOptions = {}): Mail {
  const message = messageOf(event, options);
  return {
    subject: clip(message.line, SUBJECT),
    text: textOf(event, message),
    html: htmlOf(event, message),
  };
}

function textOf(event: TidingsEvent, { line, facts, changes, time, link }: Message): string {
  const width = Math.max(0, ...facts.map(({ label }) => label.length)) + 1;
  const parts = [
    line,
    facts.map(({ label, value }) => `${`${label}:`.padEnd(width)} ${value}`).join('\n'),
    changes.length === 0 ? '' : ['What changed:', ...changes.map((change) => `- ${change}`)].join('\n'),
    link ?? '',
    // The mark by which mail programs know where a signature begins.
    `-- \n${origin(event, time)}`,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function htmlOf(event: TidingsEvent, { line, urgency, facts, changes, time, link, resource }: Message): string {
  const rows = facts.map(
    ({ label, value }) =>
      `<tr><td style="padding:2px 16px 2px 0;color:#666">${escapeHtml(label)}</td><td>${escapeHtml(value)}</td></tr>`,
  );
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"></head>',
    '<body style="margin:0;padding:24px;font:15px/1.5 system-ui,sans-serif;color:#222">',
    `<p style="margin:0 0 16px;padding-left:12px;border-left:4px solid ${COLOURS[urgency]};font-size:17px">${escapeHtml(line)}</p>`,
    ...(rows.length === 0 ? [] : [`<table style="border-collapse:collapse;margin:0 0 16px">${rows.join('')}</table>`]),
    ...(changes.length === 0
      ? []
      : [
          `<p style="margin:0">What changed:</p><ul>${changes.map((change) => `<li>${escapeHtml(change)}</li>`).join('')}</ul>`,
        ]),
    ...(link === undefined ? [] : [`<p><a href="${escapeHtml(link)}">Open ${escapeHtml(resource)}</a></p>`]),
    `<p style="color:#666;font-size:12px">${escapeHtml(origin(event, time))}</p>`,
    '</body></html>',
    '',
  ].join('\n');
}

/** What to search a log for. */
function origin({ type, id }: TidingsEvent, time: string): string {
  return `${time} · ${type} · ${id}`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
