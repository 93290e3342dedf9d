/**
 * Reads the content of a message posted to Slack, checks it against the documented limits and describes the first problem.
 * The caller turns the problem into a response.
 */

import { checkBlocks, withIds } from './blocks.ts';
import { first, type JsonObject, objectsIn, stringOr } from './json.ts';

export interface Payload {
  readonly text: string;
  readonly blocks: readonly JsonObject[];
  readonly attachments: readonly { readonly color: string; readonly blocks: readonly JsonObject[] }[];
}

/** `message` is not documented: it is the observed limit of `msg_blocks_too_long`. */
const LIMITS = { blocks: 50, attachments: 100, text: 40_000, message: 13_200 } as const;

/** The payload, or what is wrong with it. */
export function readPayload(body: JsonObject): Payload | { readonly wrong: string; readonly isTooLong: boolean } {
  const blocks = objectsIn(body.blocks);
  const sent = objectsIn(body.attachments);
  if (blocks === undefined) return wrong('blocks: not a list of objects');
  if (sent === undefined) return wrong('attachments: not a list of objects');
  const attachments = sent.map((one) => ({
    color: stringOr(one.color, '#dddddd'),
    blocks: objectsIn(one.blocks) ?? [],
  }));
  const text = stringOr(body.text, '');
  if (text === '' && blocks.length === 0 && sent.length === 0) return wrong('no_text');
  const problem =
    checkBlocks(blocks, 'blocks', LIMITS.blocks) ??
    (sent.length > LIMITS.attachments ? `attachments: ${sent.length}, at max ${LIMITS.attachments}` : undefined) ??
    first(attachments, (one, index) => checkBlocks(one.blocks, `attachments/${index}/blocks`, LIMITS.blocks));
  if (problem !== undefined) return wrong(problem);
  const size = JSON.stringify([blocks, sent]).length;
  if (size > LIMITS.message || text.length > LIMITS.text) return { wrong: `${size} characters`, isTooLong: true };
  return { text, ...identified(blocks, attachments) };
}

/** Ids are unique in the whole message, the attachments included. */
function identified(blocks: Payload['blocks'], attachments: Payload['attachments']): Omit<Payload, 'text'> {
  const prefixed = (list: readonly JsonObject[], at: number) =>
    withIds(list.map((block, index) => ({ ...block, block_id: block.block_id ?? `a${at}b${index}` })));
  return {
    blocks: withIds(blocks),
    attachments: attachments.map((one, at) => ({ ...one, blocks: prefixed(one.blocks, at) })),
  };
}

const wrong = (reason: string) => ({ wrong: reason, isTooLong: false });

/** A message of text only. */
export const plainPayload = (text: string): Payload => ({ text, blocks: [], attachments: [] });
