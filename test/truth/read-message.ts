/** Reads mails and Slack messages as people do: only what arrived counts, not what was meant. */

import type { ReceivedMail } from '../../simulator/mailbox/received-mail.ts';
import type { PostedMessage } from '../../simulator/slack/slack.ts';

/** A line about one record, in a message about several. */
interface MessageLine {
  /** `task/7` */
  readonly record: string;
  /** What is said of it, without its title. */
  readonly said: string;
  /** The people named beside it. */
  readonly who: string;
}

export interface ReadMessage {
  readonly title: string;
  /** All that is written, line by line, facts as `Label: value`. */
  readonly text: string;
  /** Records that it links to, such as `task/7`. */
  readonly records: readonly string[];
  readonly lines: readonly MessageLine[];
  /** Records beyond those that are listed. */
  readonly unlisted: number;
  /** Slack ids of those who are mentioned. */
  readonly mentioned: readonly string[];
}

const LINK = /\/(task|invoice)\/(\d+)/;
const UNLISTED = /(?:and|…|\+) ?(\d[\d,]*) more/;

export function readMail({ parsed }: Pick<ReceivedMail, 'parsed'>): ReadMessage {
  const { subject = '', html = '', text = '' } = parsed;
  const rows = text.split('\n');
  const lines = rows.flatMap((row, at): MessageLine[] => {
    const record = recordIn(rows[at + 1] ?? '');
    if (!row.startsWith('- ') || record === undefined) return [];
    const rest = row.slice(row.lastIndexOf('”') + 1);
    const [said = '', ...parts] = rest.split(' · ');
    // Other events of the same change come before the names: `now due Fri 20 Nov`. No name begins like them.
    const names = parts.filter((part) => !/^\p{Ll}/u.test(part));
    return [{ record, said, who: names.join(' ') }];
  });
  return {
    title: subject,
    text,
    records: recordsIn(`${html} ${text}`),
    lines,
    unlisted: unlistedIn(text),
    mentioned: [],
  };
}

/** A node of Slack's blocks. */
interface Node {
  readonly type?: string;
  readonly text?: unknown;
  readonly url?: string;
  readonly user_id?: string;
  readonly style?: { readonly italic?: boolean } | string;
  readonly elements?: readonly Node[];
  readonly fields?: readonly Node[];
  readonly blocks?: readonly Node[];
}

export function readSlack(message: Pick<PostedMessage, 'text' | 'blocks' | 'attachments'>): ReadMessage {
  const nodes: readonly Node[] = [...asNodes(message.blocks), ...asNodes(message.attachments)];
  const lines = nodes.flatMap(sectionsOf).flatMap(linesIn);
  const text = nodes.flatMap(rowsOf).join('\n');
  const all = JSON.stringify(nodes);
  return {
    title: message.text ?? '',
    text,
    records: recordsIn(all),
    // In a message about one record, the sentence about it is its title.
    lines: lines.length > 1 || /^(?:Good|\d|\D+ on \d)/.test(message.text ?? '') ? lines : [],
    unlisted: unlistedIn(text),
    mentioned: [...all.matchAll(/<@(\w+)>|"user_id":"(\w+)"/g)].map(([, inText, element]) => inText ?? element ?? ''),
  };
}

/** A section has one line, or several that each begin with the link to a record. */
function linesIn({ elements = [] }: Node): readonly MessageLine[] {
  const lines: { record: string; said: string; who: string }[] = [];
  for (const node of elements) {
    const record = node.type === 'link' ? recordIn(node.url ?? '') : undefined;
    const last = lines.at(-1);
    if (record !== undefined) lines.push({ record, said: '', who: '' });
    else if (last !== undefined) last[isItalic(node) ? 'who' : 'said'] += plainText(node);
  }
  return lines;
}

const isItalic = ({ style }: Node) => typeof style === 'object' && style.italic === true;

function asNodes(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value : [];
}

function childrenOf({ elements = [], fields = [], blocks = [] }: Node): readonly Node[] {
  return [...elements, ...fields, ...blocks];
}

function sectionsOf(node: Node): readonly Node[] {
  return node.type === 'rich_text_section' ? [node] : childrenOf(node).flatMap(sectionsOf);
}

/** One row for each section, field or text. */
function rowsOf(node: Node): readonly string[] {
  if (node.type === 'rich_text_section') return [(node.elements ?? []).map(plainText).join('')];
  if (node.type === 'mrkdwn') return [plainText(node).replace(/^\*(.+?)\*\n/, '$1: ')];
  const children = childrenOf(node);
  return children.length > 0 ? children.flatMap(rowsOf) : [plainText(node)];
}

function plainText({ text, url }: Node): string {
  const words =
    typeof text === 'string' ? text : typeof text === 'object' && text !== null ? plainText(text) : (url ?? '');
  return words.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

function recordIn(text: string): string | undefined {
  const [, resource, id] = LINK.exec(text) ?? [];
  return id === undefined ? undefined : `${resource}/${id}`;
}

function recordsIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(new RegExp(LINK, 'g'))].map(([, resource, id]) => `${resource}/${id}`))];
}

function unlistedIn(text: string): number {
  return Number(UNLISTED.exec(text)?.[1]?.replaceAll(',', '') ?? 0);
}
