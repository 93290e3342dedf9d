/** Searches recorded events by words and by source. */

import { sayEvent } from '../../core/events/catalogue.ts';
import { sourceName, type TidingsEvent } from '../../core/model/event.ts';

export interface EventSearch {
  /** Words that all occur, in any order and case. @default - any */
  readonly text?: string;
  /** The name of a source. @default - any */
  readonly source?: string;
}

/** Undefined if every event matches. */
export function compileSearch({ text = '', source }: EventSearch): ((event: TidingsEvent) => boolean) | undefined {
  const words = fold(text)
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0 && source === undefined) return undefined;
  return (event) => {
    if (source !== undefined && sourceName(event) !== source) return false;
    if (words.length === 0) return true;
    const searched = fold(searchedText(event));
    return words.every((word) => searched.includes(word));
  };
}

/** `Café` is recorded by `cafe`. Most text is ASCII, which needs no normalization. */
function fold(text: string): string {
  const plain = IS_ASCII.test(text) ? text : text.normalize('NFKD').replaceAll(/\p{M}/gu, '');
  return plain.toLowerCase();
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const IS_ASCII = /^[\x00-\x7f]*$/;

/** Names and short texts. Long descriptions would find almost everything. */
const SEARCHED_FIELDS = ['title', 'name', 'number', 'localid', 'project', 'client', 'assignees', 'owners', 'person'];
const MAX_FIELD_LENGTH = 500;

function searchedText(event: TidingsEvent): string {
  const { id, type, subject, data } = event;
  const values = SEARCHED_FIELDS.flatMap((field) => data.record[field] ?? []);
  const texts = values.flatMap((value) =>
    typeof value === 'string' || typeof value === 'number' ? [String(value)] : [],
  );
  return [sayEvent(event), id, type, subject, ...texts.map((text) => text.slice(0, MAX_FIELD_LENGTH))].join('\n');
}
