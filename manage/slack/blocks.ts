/** Builders of the blocks that the app answers with. Text of people and records is put only where Slack parses no markup. */

import {
  bulletList,
  mrkdwnText,
  piece,
  plainText,
  richSection,
  type SlackBlock,
  type SlackButton,
} from '../../adapters/channels/slack/block-kit.ts';
import { actionId } from '../../adapters/channels/slack/message-buttons.ts';
import { clip } from '../../core/messages/clip.ts';
import { escapeSlack } from '../../core/messages/escape.ts';
import { showCodePoint, showHidden, showLookalikes } from '../../core/messages/show-hidden.ts';
import { isOwnFault } from '../../core/model/error-codes.ts';
import { errorMessage, GiveUp, RetryLater } from '../../core/model/errors.ts';
import { type Instant, toMillis } from '../../core/model/time.ts';

const MAX_SECTION = 2900;
const MAX_LINE = 300;
const MAX_CODE = 1500;
const MAX_ERROR = 500;
const MAX_NAMES = 20;
/** With room for code marks. */
const MAX_PART = 2800;
/** Of the 12,000 of a message: reasons, samples and buttons come with a query. */
const MAX_QUERY_BLOCKS = 9000;

/** Trusted text in Slack's markup. */
export const section = (text: string): SlackBlock => ({ type: 'section', text: mrkdwnText(clipLines(text)) });

/** Clipping joins lines, so each of a text that is too long is clipped to its share. */
function clipLines(text: string): string {
  const rows = text.split('\n');
  const max = text.length <= MAX_SECTION ? MAX_SECTION : Math.floor(MAX_SECTION / rows.length);
  return rows.map((row) => clip(row, max)).join('\n');
}

/** Text of records, in which Slack parses nothing. */
export const plainSection = (text: string): SlackBlock => ({
  type: 'section',
  text: plainText(clip(text, MAX_SECTION)),
});

/** Trusted text in Slack's markup, below what it is about. */
export const note = (text: string): SlackBlock => ({
  type: 'context',
  elements: [mrkdwnText(clip(text, MAX_SECTION))],
});

/** Lines with text of records. */
export function lines(texts: readonly string[]): SlackBlock {
  return { type: 'rich_text', elements: [bulletList(texts.map((text) => richSection(piece(clip(text, MAX_LINE)))))] };
}

export const button = (action: string, label: string, value: string, style?: SlackButton['style']): SlackButton => ({
  type: 'button',
  action_id: actionId(action),
  text: plainText(label),
  value,
  style,
});

export const actionRow = (...elements: readonly SlackButton[]): SlackBlock => ({ type: 'actions', elements });

/**
 * Text that a person typed, in code marks, with each character as it is: see `showHidden`. Long text is cut: see `sayQuery` for what people
 * decide about.
 */
export const code = (text: string, max = MAX_CODE): string =>
  cutCode(showBackticks(showHidden(text.slice(0, max + 1))), max);

/** A query in code marks, as `sayQuery` shows it, but cut. */
export const codeQuery = (query: string, max = MAX_CODE): string => cutCode(showQuery(query.slice(0, max + 1)), max);

function cutCode(shown: string, max: number): string {
  const [first = '', ...rest] = splitTokens(escapeEach(shown), max);
  return inCode(rest.length === 0 ? first : `${first}…`);
}

/** The first names, and how many others there are. */
export function joinFew(names: readonly string[]): string {
  const left = names.length - MAX_NAMES;
  return left > 0 ? `${names.slice(0, MAX_NAMES).join(', ')} and ${left} more` : names.join(', ');
}

/** On one line. A fault of our own may name secrets and files of the installation: it is said by its code. */
export function sayError(error: unknown): string {
  const isOwn = (error instanceof GiveUp || error instanceof RetryLater) && isOwnFault(error.code);
  return code(isOwn ? error.code : clip(errorMessage(error), MAX_ERROR));
}

/** Slack has no escape for a backtick. */
const showBackticks = (shown: string) => shown.replaceAll('`', showCodePoint);

const showQuery = (query: string) => showBackticks(showLookalikes(query));

const escapeEach = (shown: string) => (shown.match(/⟨[^⟩]*⟩|./gu) ?? []).map(escapeSlack);

const inCode = (escaped: string) => `\`${escaped}\``;

/**
 * A message about a query, with the whole query in its blocks, and each character as it is compiled, see `showLookalikes`: an admin allows only what they can
 * read. The text is for notifications.
 */
export function sayQuery(before: string, query: string, after: string) {
  // Slack folds long sections unless they are expanded.
  const block = (text: string): SlackBlock => ({ type: 'section', text: mrkdwnText(text), expand: true });
  const shown = showQuery(query);
  const [first = '', ...rest] = splitTokens(escapeEach(shown), MAX_PART, '⟨…⟩');
  const line = `${before}${inCode(first)}${after}`;
  const parts = [...splitText(before, MAX_PART), ...[first, ...rest].map(inCode), ...splitText(after, MAX_PART)];
  const texts = rest.length === 0 && line.length <= MAX_SECTION ? [line] : parts;
  const hints = shown === query ? [] : [note(HIDDEN_HINT)];
  return { text: `${before}${codeQuery(query)}${after}`, blocks: [...texts.map(block), ...hints] };
}

const HIDDEN_HINT = '`⟨U+…⟩` stands for a character that cannot be seen, or that looks like another one.';

/** Whether a message can show the whole query, with room for what else it says. */
export const isShownWhole = (query: string): boolean =>
  query.length <= MAX_QUERY_BLOCKS && JSON.stringify(sayQuery('', query, '').blocks).length <= MAX_QUERY_BLOCKS;

/** Short texts in Slack's markup as notes, of at most `max` characters together, and how many are left out. At least one is shown. */
export function joinInNotes(texts: readonly string[], max: number) {
  const notes: string[] = [];
  let [shown, length] = [0, 0];
  for (const text of texts) {
    length += text.length + 1;
    if (shown > 0 && length > max) break;
    const last = notes.at(-1);
    if (last === undefined || last.length + text.length >= MAX_PART) notes.push(text);
    else notes[notes.length - 1] = `${last} ${text}`;
    shown += 1;
  }
  return { notes: notes.map(note), left: texts.length - shown };
}

/** Notes with the whole text, in which Slack parses nothing: the stars of event types are no markup. */
export const plainNotes = (text: string): readonly SlackBlock[] =>
  splitText(text, MAX_PART).map((part) => ({ type: 'context', elements: [plainText(part)] }));

/** Parts of at most `max` characters, divided at spaces where possible. */
const splitText = (text: string, max: number) => splitTokens([...text.trim()], max);

/**
 * No character but the space between two parts is left out.
 * @param goesOn the end of a part that is not divided at a space. @default - none
 */
function splitTokens(tokens: readonly string[], max: number, goesOn = ''): readonly string[] {
  const parts: string[] = [];
  let part = '';
  for (const token of tokens) {
    if (part.length + token.length + goesOn.length > max) {
      const space = token === ' ' ? part.length : part.lastIndexOf(' ');
      const isAtSpace = space > max / 2;
      parts.push(isAtSpace ? part.slice(0, space) : `${part}${goesOn}`);
      part = isAtSpace ? part.slice(space + 1) : '';
      if (token === ' ' && isAtSpace) continue;
    }
    part += token;
  }
  return part === '' ? parts : [...parts, part];
}

export const mention = (user: string) => `<@${user}>`;

/** In the zone of each reader. */
export function slackTime(at: Instant): string {
  return `<!date^${Math.floor(toMillis(at) / 1000)}^{date_short_pretty} {time}|${at}>`;
}
