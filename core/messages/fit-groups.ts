/** Adds the groups of a card to a message while there is room, so that a chat accepts it whatever the records contain. */

import type { CardGroup, Span } from './chat-card.ts';

export interface FitOptions<Block> {
  /** One group with some of its lines, in the markup of the chat. */
  readonly render: (heading: string, lines: CardGroup['lines']) => Block;
  /** The size of a rendered group in the unit of the limit. */
  readonly sizeOf: (block: Block) => number;
  /** For all groups together. */
  readonly maxSize: number;
  /** @default - no limit */
  readonly maxBlocks?: number;
}

export interface FittedGroups<Block> {
  readonly blocks: readonly Block[];
  /** `and 470 more`; undefined if every line is listed. */
  readonly rest: string | undefined;
}

/** Shortens a group that does not fit, and stops at the first group without any fitting line. */
export function fitGroups<Block>(
  groups: readonly CardGroup[],
  count: number,
  { render, sizeOf, maxSize, maxBlocks = Number.POSITIVE_INFINITY }: FitOptions<Block>,
): FittedGroups<Block> {
  const blocks: Block[] = [];
  let left = maxSize;
  let listed = 0;
  for (const group of groups) {
    if (blocks.length >= maxBlocks) break;
    let lines: readonly (readonly Span[])[] = group.lines;
    let block = render(headingOf(group, lines.length), lines);
    while (lines.length > 0 && sizeOf(block) > left) {
      lines = lines.slice(0, -1);
      block = render(headingOf(group, lines.length), lines);
    }
    if (lines.length === 0) break;
    left -= sizeOf(block);
    listed += lines.length;
    blocks.push(block);
  }
  const rest = count - listed;
  return { blocks, rest: rest === 0 ? undefined : `and ${format(rest)} more` };
}

/** `Website relaunch · 10 of 167` */
function headingOf({ title, count }: CardGroup, listed: number): string {
  return `${title} · ${count > listed ? `${format(listed)} of ${format(count)}` : format(count)}`;
}

const format = (n: number) => n.toLocaleString('en');
