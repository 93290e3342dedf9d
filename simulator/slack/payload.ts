/**
 * Reads a payload posted to Slack, checks it against the documented limits and describes the first problem. slack.ts turns
 * it into a response.
 */

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export interface Payload {
  readonly text: string;
  readonly blocks: readonly JsonObject[];
  readonly attachments: readonly { readonly color: string; readonly blocks: readonly JsonObject[] }[];
}

/** From Slack's reference of blocks; `message` is not documented: it is the observed limit of `msg_blocks_too_long`. */
export const LIMITS = {
  blocks: 50,
  section: 3000,
  field: 2000,
  fields: 10,
  header: 150,
  contextElements: 10,
  attachments: 100,
  text: 40_000,
  message: 13_200,
} as const;

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
    checkBlocks(blocks, 'blocks') ??
    (sent.length > LIMITS.attachments ? `attachments: ${sent.length}, at max ${LIMITS.attachments}` : undefined) ??
    first(attachments, (one, index) => checkBlocks(one.blocks, `attachments/${index}/blocks`));
  if (problem !== undefined) return wrong(problem);
  const size = JSON.stringify([blocks, sent]).length;
  if (size > LIMITS.message || text.length > LIMITS.text) return { wrong: `${size} characters`, isTooLong: true };
  return { text, blocks, attachments };
}

const wrong = (reason: string) => ({ wrong: reason, isTooLong: false });

function checkBlocks(blocks: readonly JsonObject[], path: string): string | undefined {
  if (blocks.length > LIMITS.blocks) return `${path}: ${blocks.length} blocks, at max ${LIMITS.blocks}`;
  return first(blocks, (block, index) => checkBlock(block, `${path}/${index}`));
}

function checkBlock(block: JsonObject, path: string): string | undefined {
  switch (block.type) {
    case 'divider':
      return undefined;
    case 'header':
      return checkText(block.text, `${path}/text`, LIMITS.header, ['plain_text']);
    case 'section':
      return checkSection(block, path);
    case 'context':
      return checkList(block.elements, `${path}/elements`, LIMITS.contextElements, (one, at) =>
        checkText(one, at, LIMITS.section, ['plain_text', 'mrkdwn']),
      );
    case 'rich_text':
      return checkList(block.elements, `${path}/elements`, Number.POSITIVE_INFINITY, checkRich);
    default:
      return `${path}: unsupported type '${String(block.type)}'`;
  }
}

function checkSection({ text, fields }: JsonObject, path: string): string | undefined {
  if (text === undefined && fields === undefined) return `${path}: neither text nor fields`;
  const types = ['plain_text', 'mrkdwn'];
  const wrongText = text === undefined ? undefined : checkText(text, `${path}/text`, LIMITS.section, types);
  if (wrongText !== undefined || fields === undefined) return wrongText;
  return checkList(fields, `${path}/fields`, LIMITS.fields, (one, at) => checkText(one, at, LIMITS.field, types));
}

function checkText(value: Json | undefined, path: string, max: number, types: readonly string[]): string | undefined {
  if (!isObject(value)) return `${path}: no text object`;
  if (!types.includes(String(value.type))) return `${path}: type '${String(value.type)}'`;
  if (typeof value.text !== 'string' || value.text.length === 0) return `${path}: must be more than 0 characters`;
  if (value.type === 'mrkdwn' && value.emoji !== undefined) return `${path}: emoji is for plain_text only`;
  if (!value.text.isWellFormed()) return `${path}: unpaired surrogate`;
  return value.text.length > max ? `${path}: must be less than ${max + 1} characters` : undefined;
}

function checkRich(element: JsonObject, path: string): string | undefined {
  if (element.type === 'rich_text_list')
    return checkList(element.elements, `${path}/elements`, Number.POSITIVE_INFINITY, checkRich);
  if (element.type !== 'rich_text_section') return `${path}: unsupported type '${String(element.type)}'`;
  return checkList(element.elements, `${path}/elements`, Number.POSITIVE_INFINITY, checkPiece);
}

function checkPiece(piece: JsonObject, path: string): string | undefined {
  const { type, text, url, user_id: user } = piece;
  if (type === 'user')
    return typeof user === 'string' && /^[UW][A-Z0-9]+$/.test(user) ? undefined : `${path}: invalid user_id`;
  if (type !== 'text' && type !== 'link') return `${path}: unsupported type '${String(type)}'`;
  if (type === 'link' && !(typeof url === 'string' && URL.canParse(url) && url.length <= 3000))
    return `${path}: invalid url`;
  if (typeof text !== 'string' || text === '') return `${path}: must be more than 0 characters`;
  return text.isWellFormed() ? undefined : `${path}: unpaired surrogate`;
}

function checkList(
  value: Json | undefined,
  path: string,
  max: number,
  check: (one: JsonObject, path: string) => string | undefined,
): string | undefined {
  const list = objectsIn(value);
  if (list === undefined || list.length === 0) return `${path}: no more than ${max} items and at least 1 needed`;
  if (list.length > max) return `${path}: no more than ${max} items allowed`;
  return first(list, (one, index) => check(one, `${path}/${index}`));
}

function first<Item>(list: readonly Item[], check: (one: Item, index: number) => string | undefined) {
  for (const [index, one] of list.entries()) {
    const found = check(one, index);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The objects of a list: empty if the value is absent, undefined if it is not a list of objects. */
export function objectsIn(value: Json | undefined): readonly JsonObject[] | undefined {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) && value.every(isObject) ? value : undefined;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const stringOr = (value: Json | undefined, other: string) => (typeof value === 'string' ? value : other);
