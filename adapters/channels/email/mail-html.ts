/**
 * Lays a mail out as an HTML document for narrow and wide screens, in light and dark mode, without external resources.
 * Styles are on the elements, for clients that drop style blocks; the style block adapts dark mode and narrow screens.
 */

import type { Urgency } from '../../../core/events/event-type.ts';
import { nounFor } from '../../../core/events/phrases.ts';
import { clip } from '../../../core/messages/clip.ts';
import { escapeHtml } from '../../../core/messages/escape.ts';
import type { Headline } from '../../../core/messages/neutral-message.ts';
import type { Fact } from '../../../core/messages/record-facts.ts';
import type { Summary, SummaryGroup, SummaryLine } from '../../../core/messages/summary.ts';
import type { MailContent, MailFrame } from './mail-content.ts';
import { noteFor, unlistedNote } from './mail-text.ts';

/** For light and dark mode, with enough contrast for small text on the card. */
const TONES: Readonly<Record<Urgency, readonly [light: string, dark: string]>> = {
  good: ['#1a7f4b', '#5fce94'],
  plain: ['#3b5b8c', '#8fb4ea'],
  soon: ['#9a5b00', '#f0b35a'],
  late: ['#b3261e', '#ff8a80'],
};

const FONT = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

const STYLES = {
  page: 'margin:0;padding:0;background:#f3f4f6;-webkit-text-size-adjust:100%',
  card: 'width:100%;max-width:600px;background:#ffffff;border:1px solid #e2e5ea;border-top-width:4px;border-radius:12px;border-collapse:separate;text-align:left',
  inner: `padding:24px;font:15px/1.5 ${FONT};color:#1f2328;overflow-wrap:anywhere;word-break:break-word`,
  note: 'margin:0 0 16px;padding:8px 12px;background:#f3f4f6;border-radius:8px;font-size:13px;color:#59626e',
  place: 'margin:0 0 6px;font-size:13px;line-height:1.4;color:#59626e',
  headline: 'margin:0 0 20px;font-size:19px;line-height:1.35;font-weight:600;color:#1f2328',
  title: 'color:#1f2328;text-decoration:underline;text-decoration-thickness:1px;text-underline-offset:3px',
  facts: 'width:100%;border-collapse:collapse;margin:0 0 20px;font-size:14px',
  lines: 'width:100%;border-collapse:collapse',
  label: 'width:34%;padding:7px 12px 7px 0;border-top:1px solid #e2e5ea;vertical-align:top;color:#59626e',
  value: 'padding:7px 0;border-top:1px solid #e2e5ea;vertical-align:top;color:#1f2328',
  heading: 'margin:0 0 6px;font-size:13px;font-weight:600;color:#59626e',
  own: 'font-size:15px;color:#1f2328',
  said: 'margin:0 0 20px;padding:12px 16px;background:#f3f4f6;border-radius:8px;font-size:14px;text-align:start;color:#1f2328',
  button:
    'display:inline-block;padding:10px 18px;background:#24292f;border-radius:8px;font-size:14px;font-weight:600;color:#ffffff;text-decoration:none',
  group: 'margin:24px 0 2px;font-size:15px;line-height:1.4;font-weight:600;color:#1f2328',
  count: 'font-weight:400;color:#59626e',
  row: 'padding:8px 0;border-top:1px solid #e2e5ea;vertical-align:top;font-size:14px;color:#1f2328',
  more: 'margin:8px 0 0;font-size:14px;color:#59626e',
  foot: `padding:16px 24px 0;font:12px/1.6 ${FONT};color:#59626e;overflow-wrap:anywhere;word-break:break-word`,
  quiet: 'color:#59626e;text-decoration:underline',
} as const;

const dark = (rules: Readonly<Record<string, string>>) =>
  Object.entries(rules)
    .map(([selector, style]) => `${selector}{${style}}`)
    .join('');

/** `!important` overrides the style of the element. */
const STYLE = [
  ':root{color-scheme:light dark;supported-color-schemes:light dark}',
  '.said p,.said ul,.said ol,.said pre,.said blockquote,.said h4{margin:0 0 10px}.said h4{font-size:14px}.said>:last-child{margin-bottom:0}',
  // The first letter of a paragraph determines its direction.
  '.said p,.said div{unicode-bidi:plaintext}.said ul,.said ol{padding-inline-start:20px}.said pre{white-space:pre-wrap}.said blockquote{padding-left:12px;border-left:3px solid #c9ced6}',
  '.said code,.said pre{font:13px/1.5 ui-monospace,Menlo,Consolas,monospace}.said a{color:#0b5cad}',
  '@media (max-width:480px){.outer{padding:0!important}.card{border-width:4px 0 0!important;border-radius:0!important}.inner{padding:20px 16px!important}.foot{padding:12px 16px 24px!important}.button{display:block!important;text-align:center!important}}',
  `@media (prefers-color-scheme:dark){${dark({
    '.page,.outer': 'background:#111418!important',
    '.card': 'background:#1b1f24!important;border-color:#30363d!important',
    '.inner,.headline,.title,.value,.group,.row,.said': 'color:#e6e9ed!important',
    '.place,.label,.heading,.count,.more,.foot,.quiet,.note': 'color:#9aa4b0!important',
    '.label,.value,.row': 'border-color:#30363d!important',
    '.said,.note': 'background:#252b32!important',
    '.said a': 'color:#8fb4ea!important',
    '.said blockquote': 'border-color:#4a525c!important',
    '.button': 'background:#e6e9ed!important;color:#1b1f24!important',
    ...Object.fromEntries(
      Object.entries(TONES).flatMap(([urgency, [, tone]]) => [
        [`.bar-${urgency}`, `border-top-color:${tone}!important`],
        [`.dot-${urgency}`, `color:${tone}!important`],
      ]),
    ),
  })}}`,
].join('\n');

/** An element with its style; `name` is also its class, for the style block. */
function element(tag: string, name: keyof typeof STYLES, inner: string, attributes = ''): string {
  return `<${tag} class="${name}" style="${STYLES[name]}"${attributes}>${inner}</${tag}>`;
}

export function htmlOfEvent(content: MailContent, frame: MailFrame, subject: string): string {
  const { facts, changes, message, description, byline, origin } = content;
  const { headline, place, urgency, link, resource } = message;
  const preheader = facts.map(({ label, value }) => `${label}: ${value}`).join(' · ');
  return documentOf({
    subject,
    preheader,
    urgency,
    frame,
    parts: [
      place === '' ? '' : element('p', 'place', escapeHtml(place)),
      element('h1', 'headline', htmlOfHeadline(headline, link)),
      table(facts),
      changes.length === 0 ? '' : `${element('p', 'heading', 'What changed')}${table(changes)}`,
      description === '' ? '' : element('div', 'said', description, ' dir="auto"'),
      link === undefined
        ? ''
        : element(
            'a',
            'button',
            `Open ${escapeHtml(nounFor(resource, 1))}`,
            ` href="${escapeHtml(link)}" rel="noopener"`,
          ),
    ],
    closing: [byline, origin],
  });
}

/** The HTML of the subscription's template, already sanitized, in the frame of every mail. */
export function htmlOfTemplate(html: string, frame: MailFrame, subject: string): string {
  return documentOf({ subject, preheader: '', urgency: 'plain', frame, parts: [element('div', 'own', html)] });
}

export function htmlOfSummary(summary: Summary, frame: MailFrame, subject: string): string {
  const { title, urgency, groups, unlisted } = summary;
  const preheader = groups.map(({ title: name, count }) => `${name}: ${count}`).join(' · ');
  const more = unlistedNote(groups, unlisted);
  const parts = [
    element('h1', 'headline', escapeHtml(title)),
    ...groups.map(htmlOfGroup),
    more === '' ? '' : element('p', 'more', escapeHtml(more)),
  ];
  return documentOf({ subject, preheader, urgency, frame, parts });
}

function htmlOfGroup({ title, count, lines }: SummaryGroup): string {
  const more = count - lines.length;
  return [
    element('h2', 'group', `${escapeHtml(title)} ${element('span', 'count', String(count))}`),
    element('table', 'lines', lines.map(htmlOfLine).join(''), ' role="presentation"'),
    more > 0 ? element('p', 'more', `and ${more} more`) : '',
  ].join('');
}

function htmlOfLine({ headline, urgency, link, who, isNew }: SummaryLine): string {
  const [light] = TONES[urgency];
  const dot = `<span class="dot-${urgency}" style="color:${light}" aria-hidden="true">&#9679;</span>`;
  const people = who === '' ? '' : ` · ${element('span', 'count', escapeHtml(who))}`;
  const news = isNew ? ' · <strong>new</strong>' : '';
  const text = `${htmlOfHeadline(headline, link)}${people}${news}`;
  return `<tr>${element('td', 'row', dot, ' width="20"')}${element('td', 'row', text)}</tr>`;
}

/** The name of the record is the link. */
function htmlOfHeadline({ before, title, quotes: [open, close], after }: Headline, link: string | undefined): string {
  if (title === '') return linked(before, link);
  return `${escapeHtml(before)}${open}${linked(title, link)}${close}${withWholeDays(after)}`;
}

/** Escapes the text, and keeps `Fri 20 Nov` on one line. */
function withWholeDays(text: string): string {
  return escapeHtml(text).replaceAll(
    /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{1,2} [A-Z][a-z]{2,3}\b/g,
    '<span style="white-space:nowrap">$&</span>',
  );
}

function linked(text: string, link: string | undefined): string {
  if (link === undefined) return escapeHtml(text);
  return `<a class="title" style="${STYLES.title}" href="${escapeHtml(link)}" rel="noopener">${escapeHtml(text)}</a>`;
}

function table(rows: readonly Fact[]): string {
  if (rows.length === 0) return '';
  const cells = rows.map(
    ({ label, value }) =>
      `<tr>${element('td', 'label', escapeHtml(label))}${element('td', 'value', withWholeDays(value))}</tr>`,
  );
  return element('table', 'facts', cells.join(''), ' role="presentation"');
}

interface MailDocument {
  readonly subject: string;
  /** The text that mail clients show next to the subject. */
  readonly preheader: string;
  readonly urgency: Urgency;
  readonly frame: MailFrame;
  /** HTML, in order. */
  readonly parts: readonly string[];
  /** @default - none */
  readonly closing?: readonly string[];
}

function documentOf({ subject, preheader, urgency, frame, parts, closing = [] }: MailDocument): string {
  const { subscription, unsubscribe } = frame;
  const note = noteFor(frame);
  const [light] = TONES[urgency];
  const end =
    unsubscribe === undefined
      ? ''
      : ` · ${element('a', 'quiet', 'Unsubscribe', ` href="${escapeHtml(unsubscribe)}" rel="noopener"`)}`;
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="supported-color-schemes" content="light dark">',
    `<title>${escapeHtml(subject)}</title>`,
    `<style>\n${STYLE}\n</style>`,
    '</head>',
    `<body class="page" style="${STYLES.page}">`,
    `<div style="display:none;max-height:0;overflow:hidden;opacity:0">${escapeHtml(clip(preheader, 140))}</div>`,
    '<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td class="outer" align="center" style="padding:24px 12px">',
    `<table class="card bar-${urgency}" style="${STYLES.card};border-top-color:${light}" role="presentation" cellpadding="0" cellspacing="0">`,
    `<tr><td class="inner" style="${STYLES.inner}">`,
    ...[note === '' ? '' : element('p', 'note', escapeHtml(note)), ...parts].filter((part) => part !== ''),
    '</td></tr></table>',
    `<table role="presentation" style="width:100%;max-width:600px;text-align:left" cellpadding="0" cellspacing="0"><tr><td class="foot" style="${STYLES.foot}">`,
    ...closing.map((line) => `${escapeHtml(line)}<br>`),
    `Tidings, subscription ${escapeHtml(subscription)}${end}`,
    '</td></tr></table>',
    '</td></tr></table>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}
