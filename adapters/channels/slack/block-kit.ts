/**
 * The few words of Slack's Block Kit that we speak, and the ways to make them. Foreign text goes into `plain_text` and
 * into elements of `rich_text` alone, where no mark means anything; knows no event.
 */

import { clip } from '../../../core/messages/clip.ts';
import { escapeSlack } from '../../../core/messages/escape.ts';

export interface SlackText {
  readonly type: 'plain_text' | 'mrkdwn';
  readonly text: string;
  /** Whether `:smile:` becomes a picture. Only plain text has it. */
  readonly emoji?: boolean;
  /** Whether addresses and names are left as they are. Only mrkdwn has it. */
  readonly verbatim?: true;
}

export interface RichStyle {
  readonly bold?: true;
  readonly italic?: true;
}

/** A piece of rich text. It says what it is: nothing in it is parsed for marks, mentions or links. */
export type RichPiece =
  | { readonly type: 'text'; readonly text: string; readonly style?: RichStyle }
  | { readonly type: 'link'; readonly url: string; readonly text: string; readonly style?: RichStyle }
  | { readonly type: 'user'; readonly user_id: string };

export interface RichSection {
  readonly type: 'rich_text_section';
  readonly elements: readonly RichPiece[];
}

export interface RichList {
  readonly type: 'rich_text_list';
  readonly style: 'bullet';
  readonly elements: readonly RichSection[];
}

export type SlackBlock =
  | { readonly type: 'header'; readonly text: SlackText }
  | { readonly type: 'section'; readonly text: SlackText }
  | { readonly type: 'section'; readonly fields: readonly SlackText[] }
  | { readonly type: 'context'; readonly elements: readonly SlackText[] }
  | { readonly type: 'rich_text'; readonly elements: readonly (RichSection | RichList)[] };

/** Secondary content beside a bar of colour. Slack may fold a long one, so what happened never stands here alone. */
export interface SlackAttachment {
  readonly color: string;
  /** For those who see no blocks. */
  readonly fallback: string;
  readonly blocks: readonly SlackBlock[];
}

export interface SlackMessage {
  /** What notifications and readers without blocks show. */
  readonly text: string;
  readonly blocks: readonly SlackBlock[];
  readonly attachments?: readonly SlackAttachment[];
}

/**
 * What Slack takes. The sum is nowhere documented: refusals were seen from some 13,200 characters of JSON on, so we stay
 * well below.
 */
export const SLACK_LIMITS = { blocks: 50, section: 3000, header: 150, text: 4000, message: 12_000 } as const;

/** Foreign text, shown as it is. */
export const plainText = (text: string): SlackText => ({ type: 'plain_text', text, emoji: false });

/** Text of our own, in Slack's markup. */
export const mrkdwnText = (text: string): SlackText => ({ type: 'mrkdwn', text });

/** What could be a mark, a mention or a picture. There is no escape for `*`, `_`, `~` and the backtick. */
const MARK = /[*_~`<>&\\]|:[^\s:]+:/;

/**
 * A label above its value. The label is bold where nothing in either could be read as a mark, which is nearly always;
 * otherwise all of it is plain.
 */
export const labelled = (label: string, value: string): SlackText =>
  MARK.test(label) || MARK.test(value)
    ? plainText(`${label}\n${value}`)
    : { type: 'mrkdwn', text: `*${label}*\n${value}`, verbatim: true };

export const piece = (text: string, style?: RichStyle): RichPiece => ({
  type: 'text',
  text,
  ...(style === undefined ? {} : { style }),
});

/** The text alone where there is no link. */
export const linked = (text: string, url: string | undefined, style?: RichStyle): RichPiece =>
  url === undefined ? piece(text, style) : { type: 'link', url, text, ...(style === undefined ? {} : { style }) };

/** Slack refuses a piece without a text. */
export const richSection = (...pieces: readonly RichPiece[]): RichSection => ({
  type: 'rich_text_section',
  elements: pieces.filter((one) => one.type === 'user' || one.text !== ''),
});

export const bulletList = (elements: readonly RichSection[]): RichList => ({
  type: 'rich_text_list',
  style: 'bullet',
  elements,
});

export const headerBlock = (text: string): SlackBlock => ({
  type: 'header',
  text: plainText(clip(text, SLACK_LIMITS.header)),
});

/** An instant that each reader sees in their own time zone; `fallback` is for clients that cannot. */
export function dateTimeText(instant: string, fallback: string): SlackText {
  const seconds = Math.floor(Date.parse(instant) / 1000);
  return mrkdwnText(`<!date^${seconds}^{date_short_pretty}, {time}|${escapeSlack(fallback).replaceAll('|', '')}>`);
}
