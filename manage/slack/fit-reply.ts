/** Answers to people, kept within Slack's limits: Slack refuses a longer one as a whole. What does not fit is left out, and the answer says so. */

import { SLACK_LIMITS, type SlackBlock } from '../../adapters/channels/slack/block-kit.ts';
import { note } from './blocks.ts';

export interface SlackReply {
  /** In Slack's markup: the whole answer for clients without blocks. */
  readonly text: string;
  /** @default - the text */
  readonly blocks?: readonly SlackAnyBlock[];
}

/** A block of this app, or one of the forms that only modals, previews and the home have. */
export type SlackAnyBlock = SlackBlock | Readonly<Record<string, unknown>>;

/** For what stands around the rows of a message: its title, a hint, buttons. */
const ROOM = { blocks: 5, message: 1500 } as const;

const LEFT_OUT = 'The rest does not fit into a message of Slack.';

export const isFitting = (blocks: readonly SlackAnyBlock[]): boolean =>
  blocks.length <= SLACK_LIMITS.blocks && JSON.stringify(blocks).length <= SLACK_LIMITS.message;

/** The first rows that fit into one message. At least one, which may be too long. */
export function takeRows<Row extends readonly SlackAnyBlock[]>(rows: readonly Row[]): readonly Row[] {
  let { blocks, message }: { blocks: number; message: number } = ROOM;
  const end = rows.findIndex((row) => {
    blocks += row.length;
    message += JSON.stringify(row).length;
    return blocks > SLACK_LIMITS.blocks || message > SLACK_LIMITS.message;
  });
  return end === -1 ? rows : rows.slice(0, Math.max(1, end));
}

export function fitReply({ text, blocks }: SlackReply): SlackReply {
  return { text: fitAnswerText(text), ...(blocks === undefined ? {} : { blocks: fitBlocks(blocks) }) };
}

function fitBlocks(blocks: readonly SlackAnyBlock[]): readonly SlackAnyBlock[] {
  if (isFitting(blocks)) return blocks;
  const buttons = blocks.filter(({ type }) => type === 'actions');
  const rows = blocks.filter(({ type }) => type !== 'actions').map((block) => [block]);
  return [...takeRows(rows).flat(), note(LEFT_OUT), ...buttons];
}

/** Cut between words, with the end of code marks and without the half of a mention. */
export function fitAnswerText(text: string): string {
  if (text.length <= SLACK_LIMITS.text) return text;
  const start = text.slice(0, SLACK_LIMITS.text - LEFT_OUT.length - 5).toWellFormed();
  const whole = start.slice(0, Math.max(start.lastIndexOf(' '), start.lastIndexOf('\n'), 1));
  const closed = whole.lastIndexOf('<') > whole.lastIndexOf('>') ? whole.slice(0, whole.lastIndexOf('<')) : whole;
  const isInCode = closed.split('`').length % 2 === 0;
  return `${closed}${isInCode ? '`' : ''} …\n${LEFT_OUT}`;
}
