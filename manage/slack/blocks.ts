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

/** Text that a person typed, in code marks. */
export const code = (text: string) => `\`${escapeSlack(clip(text.replaceAll('`', "'"), 1500))}\``;

export const mention = (user: string) => `<@${user}>`;

/** In the zone of each reader. */
export function slackTime(at: Instant): string {
  return `<!date^${Math.floor(toMillis(at) / 1000)}^{date_short_pretty} {time}|${at}>`;
}
