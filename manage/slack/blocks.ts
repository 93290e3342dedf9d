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
import { type Instant, toMillis } from '../../core/model/time.ts';

const MAX_SECTION = 2900;
const MAX_LINE = 300;
const MAX_CODE = 1500;
/** With room for code marks. */
const MAX_PART = 2800;

/** Trusted text in Slack's markup. */
export const section = (text: string): SlackBlock => ({ type: 'section', text: mrkdwnText(clipLines(text)) });

/** Clipping joins lines, so each is clipped to its share. */
function clipLines(text: string): string {
  const rows = text.split('\n');
  return rows.map((row) => clip(row, Math.floor(MAX_SECTION / rows.length))).join('\n');
}

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

/** Text that a person typed, in code marks. Long text is cut: see `sayQuery` for what people decide about. */
export function code(text: string): string {
  const [first = '', ...rest] = splitText(clip(text.replaceAll('`', "'"), MAX_CODE), MAX_CODE, escapeSlack);
  return inCode(rest.length === 0 ? first : `${first}…`);
}

const inCode = (escaped: string) => `\`${escaped}\``;

/**
 * A message about a query, with the whole query in its blocks: an admin allows only what they can read. The text is for
 * notifications.
 */
export function sayQuery(before: string, query: string, after: string) {
  // Slack folds long sections unless they are expanded.
  const block = (text: string): SlackBlock => ({ type: 'section', text: mrkdwnText(text), expand: true });
  const [first = '', ...rest] = splitText(clip(query.replaceAll('`', "'"), query.length), MAX_PART, escapeSlack);
  const line = `${before}${inCode(first)}${after}`;
  const parts = [...splitText(before, MAX_PART), ...[first, ...rest].map(inCode), ...splitText(after, MAX_PART)];
  const texts = rest.length === 0 && line.length <= MAX_SECTION ? [line] : parts;
  return { text: `${before}${code(query)}${after}`, blocks: texts.map(block) };
}

/** Notes with the whole text. */
export const notes = (text: string): readonly SlackBlock[] => splitText(text, MAX_PART).map(note);

/** Parts of at most `max` characters once they are encoded, divided at spaces where possible. */
function splitText(text: string, max: number, encode = (character: string) => character): readonly string[] {
  const parts: string[] = [];
  let part = '';
  for (const character of text.trim()) {
    const encoded = encode(character);
    if (part.length + encoded.length > max) {
      const space = part.lastIndexOf(' ');
      const end = space > max / 2 ? space : part.length;
      parts.push(part.slice(0, end));
      part = part.slice(end).trimStart();
    }
    part += encoded;
  }
  return part === '' ? parts : [...parts, part];
}

export const mention = (user: string) => `<@${user}>`;

/** In the zone of each reader. */
export function slackTime(at: Instant): string {
  return `<!date^${Math.floor(toMillis(at) / 1000)}^{date_short_pretty} {time}|${at}>`;
}
