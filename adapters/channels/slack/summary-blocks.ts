/**
 * Several events as Slack blocks: a title with counts, then a list for each project. Lines are added while there is room,
 * so that Slack accepts the message whatever the records contain.
 */

import { shareLines, URGENCY_MARKS } from '../../../core/messages/chat-card.ts';
import { clip } from '../../../core/messages/clip.ts';
import { escapeSlack } from '../../../core/messages/escape.ts';
import type { Summary, SummaryGroup, SummaryLine } from '../../../core/messages/summary.ts';
import {
  bulletList,
  headerBlock,
  mrkdwnText,
  piece,
  type RichPiece,
  richSection,
  SLACK_LIMITS,
  type SlackBlock,
} from './block-kit.ts';
import { headlinePieces } from './event-blocks.ts';

export interface SlackSummaryOptions {
  /** `Good morning`, for a digest. @default - no greeting */
  readonly greeting?: string;
}

/** For all groups together. */
const MAX_LINES = 30;
const MAX_GROUP_TITLE_LENGTH = 100;
const MAX_LINE_LENGTH = 240;
/** Characters of JSON kept free for the header, the context and a note on top. */
const RESERVED = 1500;

export function slackSummary(summary: Summary, { greeting }: SlackSummaryOptions = {}): readonly SlackBlock[] {
  const mark = URGENCY_MARKS[summary.urgency];
  const title = greeting === undefined ? `${mark} ${summary.title}` : `${greeting}: ${summary.title}`;
  const { blocks, listed } = listGroups(summary);
  const rest = summary.count - listed;
  return [
    headerBlock(title),
    ...blocks,
    ...(rest === 0 ? [] : [{ type: 'context', elements: [mrkdwnText(`_and ${count(rest)} more_`)] } as const]),
  ];
}

/** The line for notifications. */
export function slackSummaryText({ title }: Summary, { greeting }: SlackSummaryOptions = {}): string {
  return escapeSlack(greeting === undefined ? title : `${greeting}: ${title}`);
}

function listGroups({ groups, urgency }: Summary): { blocks: readonly SlackBlock[]; listed: number } {
  // If all have the same urgency, the header shows it.
  const isMixed = groups.some(({ lines }) => lines.some((line) => line.urgency !== urgency));
  const blocks: SlackBlock[] = [];
  let left = SLACK_LIMITS.message - RESERVED;
  let listed = 0;
  for (const group of shareLines(groups, MAX_LINES)) {
    const lines = group.lines.map((line) => piecesOf(line, isMixed));
    // Shortens a list that does not fit, and stops at the first list without any fitting line.
    while (lines.length > 0 && sizeOf(blockOf(group, lines, isMixed)) > left) lines.pop();
    if (lines.length === 0) break;
    const block = blockOf(group, lines, isMixed);
    left -= sizeOf(block) + 1;
    listed += lines.length;
    blocks.push(block);
  }
  return { blocks, listed };
}

const sizeOf = (value: unknown) => JSON.stringify(value).length;
const count = (n: number) => n.toLocaleString('en');

/** Lines with marks need no bullets. */
function blockOf(group: SummaryGroup, lines: readonly (readonly RichPiece[])[], isMixed: boolean): SlackBlock {
  const heading = headingOf(group, lines.length);
  if (!isMixed)
    return {
      type: 'rich_text',
      elements: [richSection(...heading), bulletList(lines.map((pieces) => richSection(...pieces)))],
    };
  return { type: 'rich_text', elements: [richSection(...heading, ...lines.flatMap((one) => [piece('\n'), ...one]))] };
}

function headingOf({ title, count: all }: SummaryGroup, listed: number): readonly RichPiece[] {
  const shown = all > listed ? `${count(listed)} of ${count(all)}` : count(all);
  return [piece(clip(title, MAX_GROUP_TITLE_LENGTH) || 'Others', { bold: true }), piece(` · ${shown}`)];
}

/** The line omits the project, which the heading shows. */
function piecesOf({ headline, link, urgency, who, isNew }: SummaryLine, isMixed: boolean): readonly RichPiece[] {
  const { before, title, after } = headline;
  const mark = isMixed ? [piece(`${URGENCY_MARKS[urgency]} `)] : [];
  const short = { ...headline, before: title === '' ? clip(before, MAX_LINE_LENGTH) : before.replace(/^Task $/, '') };
  const people = who === '' ? [] : [piece(' · '), piece(who, { italic: true })];
  const news = isNew ? [piece(' · '), piece('new', { bold: true })] : [];
  return [...mark, ...headlinePieces({ ...short, after: clipEnd(after, MAX_LINE_LENGTH) }, link), ...people, ...news];
}

/** Keeps the space at its start. */
const clipEnd = (text: string, length: number) =>
  text.startsWith(' ') ? ` ${clip(text, length)}` : clip(text, length);
