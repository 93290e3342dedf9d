/**
 * Anybody's HTML with only that left which rules allow. Decides what is worth writing; that nothing else can be written is
 * up to the writer, so whatever the reader or this misunderstands makes a mail ugly and never dangerous.
 */

import { readHtml, type Token } from './html-read.ts';
import { htmlOf, type Paper, type Tag, writeTokens } from './html-write.ts';

export interface Rules extends Paper {
  /** What is written for a tag: itself, others (`h1` as `p` and `strong`). One that is not here leaves its words only. */
  readonly tags: ReadonlyMap<string, readonly Tag[]>;
  /** Not a word in these is meant for readers. */
  readonly unread: readonly string[];
  /** A space stands between these and what is before or after. @default - none */
  readonly spaced?: readonly string[];
  /** Said where an element opens that shows something without having words. @default - nothing */
  readonly inWords?: (name: string, attributes: ReadonlyMap<string, string>) => string;
}

/** Google Docs wraps all that is copied from it in a `b` that is not bold. */
const NOT_BOLD = /font-weight:\s*(?:normal|400)/i;

/** Tags that are written as they are. */
export const asTheyAre = (...tags: readonly Tag[]): [string, readonly Tag[]][] => tags.map((tag) => [tag, [tag]]);

export function cleanTokens(html: string, rules: Rules): readonly Token[] {
  const { tags, unread, spaced = [], inWords } = rules;
  const writer = writeTokens(rules);
  /** The unread element that we are in, and how many of its kind. */
  let skipped = '';
  let depth = 0;
  for (const token of readHtml(html)) {
    if (token.kind === 'text') {
      if (depth === 0 && !writer.text(token.text)) break;
      continue;
    }
    const { kind, name } = token;
    const isOpen = kind === 'open';
    if (depth > 0 ? name === skipped : isOpen && unread.includes(name)) {
      skipped = name;
      depth += isOpen ? 1 : -1;
    } else if (depth === 0) {
      const ours = tags.get(name) ?? [];
      if (spaced.includes(name)) writer.keepApart();
      if (!isOpen) for (const tag of ours.toReversed()) writer.close(tag);
      else {
        const isThin = (name === 'b' || name === 'strong') && NOT_BOLD.test(token.attributes.get('style') ?? '');
        for (const tag of ours) isThin ? writer.leaveOut(tag) : writer.open(tag, token.attributes);
        if (inWords && !writer.text(inWords(name, token.attributes))) break;
      }
    }
  }
  return writer.end();
}

export function cleanHtml(html: string, rules: Rules): string {
  return htmlOf(cleanTokens(html, rules));
}
