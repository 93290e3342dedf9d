/** Blocks as HTML, with everything that senders wrote escaped. Pure. */

import { elementsIn } from './blocks.ts';
import { type ElementContext, elementHtml } from './element-html.ts';
import { isObject, type JsonObject, objectsIn, stringOr } from './json.ts';
import { escapeHtml, mrkdwnHtml, richHtml, textHtml } from './markup.ts';

export interface BlockContext extends ElementContext {
  /** Problems beside inputs, by block. @default - none */
  readonly errors?: Readonly<Record<string, string>>;
}

export const blocksHtml = (blocks: readonly JsonObject[], context: BlockContext): string =>
  blocks.map((block) => blockHtml(block, context)).join('');

function blockHtml(block: JsonObject, context: BlockContext): string {
  const { members } = context;
  switch (block.type) {
    case 'header':
      return `<h3>${textHtml(block.text, members)}</h3>`;
    case 'divider':
      return '<hr>';
    case 'context':
      return `<div class="context">${(objectsIn(block.elements) ?? [])
        .map((element) => `<span>${textHtml(element, members)}</span>`)
        .join('')}</div>`;
    case 'rich_text':
      return `<div class="block">${richHtml(block.elements, members)}</div>`;
    case 'image':
      return `<div class="block image">${escapeHtml(stringOr(block.alt_text, ''))}</div>`;
    case 'actions':
      return `<div class="block actions">${elementsIn(block)
        .map((element) => elementHtml(element, block, context, true))
        .join('')}</div>`;
    case 'input':
      return inputHtml(block, context);
    default:
      return sectionHtml(block, context);
  }
}

function sectionHtml(block: JsonObject, context: BlockContext): string {
  const { members } = context;
  const said = block.text === undefined ? '' : `<p>${textHtml(block.text, members)}</p>`;
  const cells = (objectsIn(block.fields) ?? []).map((field) => `<div>${textHtml(field, members)}</div>`).join('');
  const body = `${said}${cells === '' ? '' : `<div class="fields">${cells}</div>`}`;
  const [accessory] = elementsIn(block);
  if (accessory === undefined) return `<div class="block">${body}</div>`;
  return `<div class="block section"><div>${body}</div>${elementHtml(accessory, block, context, true)}</div>`;
}

function inputHtml(block: JsonObject, context: BlockContext): string {
  const { members, errors = {} } = context;
  const { element, hint } = block;
  if (!isObject(element)) return '';
  const problem = errors[stringOr(block.block_id, '')];
  return [
    `<div class="block input${problem === undefined ? '' : ' wrong'}"><p class="label">${textHtml(block.label, members)}`,
    block.optional === true ? ' <small>(optional)</small></p>' : '</p>',
    elementHtml(element, block, context, block.dispatch_action === true),
    hint === undefined ? '' : `<p class="hint">${textHtml(hint, members)}</p>`,
    problem === undefined ? '' : `<p class="problem" role="alert">${escapeHtml(problem)}</p>`,
    '</div>',
  ].join('');
}

/** The text of a message without blocks. */
export const plainHtml = (text: string, members: ElementContext['members']): string =>
  `<div class="block">${mrkdwnHtml(text, members).replaceAll('\n', '<br>')}</div>`;
