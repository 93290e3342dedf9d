/**
 * The types of Slack's Block Kit that Tidings uses, and their builders. External text is put only into `plain_text` and
 * `rich_text` elements, where Slack parses no markup.
 */

import { clip } from '../../../core/messages/clip.ts';
import { escapeSlack } from '../../../core/messages/escape.ts';

export interface SlackText {
  readonly type: 'plain_text' | 'mrkdwn';
  readonly text: string;
  /** Whether `:smile:` becomes an emoji. For plain text only. */
  readonly emoji?: boolean;
  /** Turns off the automatic linking of URLs and channel names. For mrkdwn only. */
  readonly verbatim?: true;
}

export interface RichStyle {
  readonly bold?: true;
  readonly italic?: true;
}

/** A piece of rich text, in which Slack parses no markup, mentions or links. */
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

export interface SlackButton {
  readonly type: 'button';
  readonly text: SlackText;
  /** Unique in its block. */
  readonly action_id: string;
  /** At most 2,000 characters. */
  readonly value: string;
  readonly style?: 'primary' | 'danger';
}

/** A calendar in which a person picks a day. */
export interface SlackDatePicker {
  readonly type: 'datepicker';
  readonly action_id: string;
  /** `2026-11-16`. @default - no day is selected */
  readonly initial_date?: string;
  readonly placeholder?: SlackText;
}

/** A menu of up to 100 options. */
export interface SlackMenu {
  readonly type: 'static_select';
  readonly action_id: string;
  readonly placeholder: SlackText;
  /** Texts and values of at most 75 characters. */
  readonly options: readonly { readonly text: SlackText; readonly value: string }[];
}

export interface SlackActions {
  readonly type: 'actions';
  /** At most 255 characters. */
  readonly block_id?: string;
  /** At most 25. */
  readonly elements: readonly (SlackButton | SlackDatePicker | SlackMenu)[];
}

export type SlackBlock =
  | SlackActions
  | { readonly type: 'header'; readonly text: SlackText }
  | { readonly type: 'section'; readonly text: SlackText; readonly expand?: true }
  | { readonly type: 'section'; readonly fields: readonly SlackText[] }
  | { readonly type: 'context'; readonly elements: readonly SlackText[] }
  | { readonly type: 'rich_text'; readonly elements: readonly (RichSection | RichList)[] };

/** Secondary content next to a coloured bar. Slack may collapse a long one, so the headline is in the message itself. */
export interface SlackAttachment {
  readonly color: string;
  /** For clients without blocks. */
  readonly fallback: string;
  readonly blocks: readonly SlackBlock[];
}

export interface SlackMessage {
  /** For notifications and clients without blocks. */
  readonly text: string;
  readonly blocks: readonly SlackBlock[];
  readonly attachments?: readonly SlackAttachment[];
}

/**
 * Slack's limits in characters and blocks. The limit of a whole message is not documented: Slack was seen to reject
 * messages of about 13,200 characters of JSON.
 */
export const SLACK_LIMITS = { blocks: 50, section: 3000, header: 150, text: 4000, message: 12_000 } as const;

/** External text, which Slack shows without parsing. */
export const plainText = (text: string): SlackText => ({ type: 'plain_text', text, emoji: false });

/** Trusted text in Slack's markup. */
export const mrkdwnText = (text: string): SlackText => ({ type: 'mrkdwn', text });

/** Characters that could be markup, a mention or an emoji. Slack has no escape for `*`, `_`, `~` and the backtick. */
const MARKUP = /[*_~`<>&\\]|:[^\s:]+:/;

/** A label above its value. The label is bold, unless label or value could contain markup: then both are plain text. */
export const labelled = (label: string, value: string): SlackText =>
  MARKUP.test(label) || MARKUP.test(value)
    ? plainText(`${label}\n${value}`)
    : { type: 'mrkdwn', text: `*${label}*\n${value}`, verbatim: true };

export const piece = (text: string, style?: RichStyle): RichPiece => ({ type: 'text', text, style });

/** A link, or plain text if there is no URL. */
export const linked = (text: string, url: string | undefined, style?: RichStyle): RichPiece =>
  url === undefined ? piece(text, style) : { type: 'link', url, text, style };

/** Drops empty pieces, which Slack rejects. */
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

/** An instant that Slack shows in the time zone of each reader; `fallback` is for clients without this feature. */
export function dateTimeText(instant: string, fallback: string): SlackText {
  const seconds = Math.floor(Date.parse(instant) / 1000);
  return mrkdwnText(`<!date^${seconds}^{date_short_pretty}, {time}|${escapeSlack(fallback).replaceAll('|', '')}>`);
}
