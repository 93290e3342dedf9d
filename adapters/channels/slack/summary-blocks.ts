/**
 * Many events as Slack blocks: a title with counts, then a list for each project. Lines are added while there is room, so
 * that blocks and length stay within what Slack takes whatever the records hold; sends nothing.
 */

import { escapeSlack } from '../../../core/messages/escape.ts';
import { clip } from '../../../core/messages/neutral-message.ts';
import type { Summary, SummaryGroup, SummaryLine } from '../../../core/messages/summary.ts';
import {
  bulletList,
  headerBlock,
  linked,
  mrkdwnText,
  piece,
  type RichPiece,
  richSection,
  SLACK_LIMITS,
  type SlackBlock,
} from './block-kit.ts';
import { MARKS, prettyDays } from './event-blocks.ts';

export interface SlackSummaryOptions {
  /** When it is told. */
  readonly at: string;
  /** `Good morning`: then it is a digest, and greets. @default - no greeting */
  readonly greeting?: string;
}

/** Lines in all: more are not read. */
const LINES = 30;
const GROUP_TITLE = 100;
const LINE = 240;
/** Kept free for header, context and what the door puts on top. */
const RESERVED = 1500;

export function slackSummary(summary: Summary, { greeting, at }: SlackSummaryOptions): readonly SlackBlock[] {
  const mark = MARKS[summary.urgency];
  const title = greeting === undefined ? `${mark} ${summary.title}` : `${greeting}: ${summary.title}`;
  const { blocks, listed } = listGroups(summary, at);
  const rest = summary.count - listed;
  return [
    headerBlock(title),
    ...blocks,
    ...(rest === 0 ? [] : [{ type: 'context', elements: [mrkdwnText(`_and ${count(rest)} more_`)] } as const]),
  ];
}

/** The line for notifications. */
export function slackSummaryText({ title }: Summary, { greeting }: Pick<SlackSummaryOptions, 'greeting'> = {}): string {
  return escapeSlack(greeting === undefined ? title : `${greeting}: ${title}`);
}

function listGroups({ groups, urgency }: Summary, at: string): { blocks: readonly SlackBlock[]; listed: number } {
  // Where all are alike, the header has said it.
  const isMixed = groups.some(({ lines }) => lines.some((line) => line.urgency !== urgency));
  const blocks: SlackBlock[] = [];
  let left = SLACK_LIMITS.message - RESERVED;
  let listed = 0;
  for (const group of shareOut(groups)) {
    const lines = group.lines.map((line) => piecesOf(line, { group, isMixed, at }));
    // A list that does not fit is shortened; one of which nothing fits ends it all.
    while (lines.length > 0 && sizeOf(blockOf(group, lines, isMixed)) > left) lines.pop();
    if (lines.length === 0) break;
    const block = blockOf(group, lines, isMixed);
    left -= sizeOf(block) + 1;
    listed += lines.length;
    blocks.push(block);
  }
  return { blocks, listed };
}

/** Each group gets its share of the lines, and what one does not need goes to the next: no project hides the others. */
function shareOut(groups: readonly SummaryGroup[]): readonly SummaryGroup[] {
  const shares = new Map<SummaryGroup, number>();
  let left = LINES;
  const bySize = groups.slice(0, LINES).toSorted((a, b) => a.lines.length - b.lines.length);
  for (const [index, group] of bySize.entries()) {
    const share = Math.min(group.lines.length, Math.floor(left / (bySize.length - index)));
    shares.set(group, share);
    left -= share;
  }
  return groups.slice(0, LINES).map((group) => ({ ...group, lines: group.lines.slice(0, shares.get(group) ?? 0) }));
}

const sizeOf = (value: unknown) => JSON.stringify(value).length;
const count = (n: number) => n.toLocaleString('en');

/** Marks stand in for bullets where there are marks. */
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
  return [piece(clip(title, GROUP_TITLE) || 'Others', { bold: true }), piece(` · ${shown}`)];
}

interface LineOptions {
  readonly group: SummaryGroup;
  readonly isMixed: boolean;
  readonly at: string;
}

/** The title leads to the record. What the heading says of the place is not said again. */
function piecesOf({ line, link, urgency }: SummaryLine, { group, isMixed, at }: LineOptions): readonly RichPiece[] {
  const text = clip(placeless(line, group.title), LINE) || 'untitled';
  const [start, end] = [text.indexOf('“'), text.lastIndexOf('”')];
  const mark = isMixed ? [piece(`${MARKS[urgency]} `)] : [];
  if (start === -1 || end <= start + 1) return [...mark, linked(prettyDays(text, at), link)];
  return [
    ...mark,
    piece(text.slice(0, start).replace(/^Task $/, '')),
    linked(text.slice(start + 1, end), link, { bold: true }),
    piece(prettyDays(text.slice(end + 1), at)),
  ];
}

function placeless(line: string, project: string): string {
  const place = line.lastIndexOf(` in ${project}`);
  if (place === -1) return line;
  const after = line.slice(place + 4 + project.length);
  return after === '' || after.startsWith(' for ') ? line.slice(0, place) : line;
}
