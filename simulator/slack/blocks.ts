/**
 * Checks blocks against Slack's documented limits, describes the first problem, and gives ids to blocks and elements without
 * one. It knows no messages and no views.
 */

import { checkElement, checkId, checkList, checkString, checkText } from './elements.ts';
import { first, isObject, type JsonObject, objectsIn } from './json.ts';

/** From Slack's reference of blocks. */
const BLOCK_LIMITS = {
  section: 3000,
  field: 2000,
  fields: 10,
  header: 150,
  contextElements: 10,
  actionElements: 25,
  label: 2000,
} as const;

const PLAIN = ['plain_text'];

export function checkBlocks(blocks: readonly JsonObject[], path: string, max: number): string | undefined {
  if (blocks.length > max) return `${path}: ${blocks.length} blocks, at max ${max}`;
  return (
    first(blocks, (block, index) => checkBlock(block, `${path}/${index}`)) ??
    checkUnique(
      blocks.flatMap(({ block_id: id }) => (typeof id === 'string' ? [id] : [])),
      `${path}: block_id`,
    )
  );
}

function checkUnique(ids: readonly string[], path: string): string | undefined {
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  return twice === undefined ? undefined : `${path} '${twice}' is used twice`;
}

function checkBlock(block: JsonObject, path: string): string | undefined {
  const wrongId = checkId(block.block_id, `${path}/block_id`);
  if (wrongId !== undefined) return wrongId;
  switch (block.type) {
    case 'divider':
      return undefined;
    case 'header':
      return checkText(block.text, `${path}/text`, BLOCK_LIMITS.header, PLAIN);
    case 'section':
      return checkSection(block, path);
    case 'context':
      return checkList(block.elements, `${path}/elements`, BLOCK_LIMITS.contextElements, (one, at) =>
        one.type === 'image' ? checkImage(one, at) : checkText(one, at, BLOCK_LIMITS.section),
      );
    case 'image':
      return checkImage(block, path);
    case 'actions':
      return checkActions(block, path);
    case 'input':
      return checkInput(block, path);
    case 'rich_text':
      return checkList(block.elements, `${path}/elements`, Number.POSITIVE_INFINITY, checkRich);
    default:
      return `${path}: unsupported type '${String(block.type)}'`;
  }
}

function checkSection({ text, fields, accessory }: JsonObject, path: string): string | undefined {
  if (text === undefined && fields === undefined) return `${path}: neither text nor fields`;
  return (
    (text === undefined ? undefined : checkText(text, `${path}/text`, BLOCK_LIMITS.section)) ??
    (fields === undefined
      ? undefined
      : checkList(fields, `${path}/fields`, BLOCK_LIMITS.fields, (one, at) =>
          checkText(one, at, BLOCK_LIMITS.field),
        )) ??
    (accessory === undefined
      ? undefined
      : isObject(accessory) && accessory.type === 'image'
        ? checkImage(accessory, `${path}/accessory`)
        : checkElement(accessory, `${path}/accessory`, 'accessory'))
  );
}

function checkImage({ image_url: url, alt_text: alt }: JsonObject, path: string): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return `${path}/image_url: invalid url`;
  if (typeof alt !== 'string') return `${path}/alt_text: required`;
  return checkString(url, `${path}/image_url`, 3000) ?? checkString(alt, `${path}/alt_text`, 2000);
}

function checkActions({ elements }: JsonObject, path: string): string | undefined {
  const ids = (objectsIn(elements) ?? []).flatMap(({ action_id: id }) => (typeof id === 'string' ? [id] : []));
  return (
    checkList(elements, `${path}/elements`, BLOCK_LIMITS.actionElements, (one, at) =>
      checkElement(one, at, 'actions'),
    ) ?? checkUnique(ids, `${path}: action_id`)
  );
}

function checkInput({ label, hint, element }: JsonObject, path: string): string | undefined {
  return (
    checkText(label, `${path}/label`, BLOCK_LIMITS.label, PLAIN) ??
    (hint === undefined ? undefined : checkText(hint, `${path}/hint`, BLOCK_LIMITS.label, PLAIN)) ??
    checkElement(element, `${path}/element`, 'input')
  );
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

/** Interactive elements of a block. */
export function elementsIn(block: JsonObject): readonly JsonObject[] {
  const single = block.type === 'input' ? block.element : block.type === 'section' ? block.accessory : undefined;
  const several = block.type === 'actions' ? (objectsIn(block.elements) ?? []) : [];
  return [...(isObject(single) && single.type !== 'image' ? [single] : []), ...several];
}

/** The blocks as Slack stores them: each block and each interactive element has an id. */
export function withIds(blocks: readonly JsonObject[]): readonly JsonObject[] {
  const named = (element: JsonObject, id: string) =>
    element.type === 'image' || element.action_id !== undefined ? element : { ...element, action_id: id };
  return blocks.map((block, index) => {
    const id = typeof block.block_id === 'string' ? block.block_id : `b${index}`;
    const { element, accessory, elements } = block;
    return {
      ...block,
      block_id: id,
      ...(block.type === 'input' && isObject(element) ? { element: named(element, `${id}-0`) } : {}),
      ...(block.type === 'section' && isObject(accessory) ? { accessory: named(accessory, `${id}-0`) } : {}),
      ...(block.type === 'actions'
        ? { elements: (objectsIn(elements) ?? []).map((one, at) => named(one, `${id}-${at}`)) }
        : {}),
    };
  });
}
