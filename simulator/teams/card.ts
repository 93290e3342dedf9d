/**
 * Reads a message posted to a workflow, and decides whether Teams shows it: the elements and properties of Adaptive Cards 1.4,
 * as far as senders use them. A problem is a text; Teams reports none.
 */

import { isObject, type Json, type JsonObject, objectsOf, textOf } from '../chat/json.ts';

export interface ShownCard {
  readonly at: number;
  readonly card: JsonObject;
  /** The ids of the people that it notifies. */
  readonly notified: readonly string[];
}

const CONTENT_TYPE = 'application/vnd.microsoft.card.adaptive';
const VERSIONS = ['1.0', '1.1', '1.2', '1.3', '1.4'];

/** The properties of each type, with the values of those that are enumerations. `*`: any text, `?`: a flag. */
const SIZES = ['default', 'small', 'medium', 'large', 'extralarge'];
const SPACINGS = ['none', 'small', 'default', 'medium', 'large', 'extralarge', 'padding'];
const CONTAINER_STYLES = ['default', 'emphasis', 'good', 'attention', 'warning', 'accent'];
const TEXT = {
  text: '*',
  size: SIZES,
  weight: ['default', 'lighter', 'bolder'],
  color: ['default', 'dark', 'light', 'accent', 'good', 'warning', 'attention'],
  isSubtle: '?',
  fontType: ['default', 'monospace'],
} as const;
const PROPERTIES: Readonly<Record<string, Readonly<Record<string, '*' | '?' | 'skip' | readonly string[]>>>> = {
  AdaptiveCard: {
    version: '*',
    $schema: '*',
    fallbackText: '*',
    body: 'skip',
    actions: 'skip',
    msteams: 'skip',
    lang: '*',
  },
  TextBlock: { ...TEXT, wrap: '?', maxLines: 'skip', spacing: SPACINGS, separator: '?' },
  RichTextBlock: { inlines: 'skip', spacing: SPACINGS, separator: '?' },
  TextRun: { ...TEXT, italic: '?', strikethrough: '?', underline: '?', highlight: '?', selectAction: 'skip' },
  Container: { items: 'skip', style: CONTAINER_STYLES, bleed: '?', spacing: SPACINGS, separator: '?' },
  ColumnSet: { columns: 'skip', style: CONTAINER_STYLES, bleed: '?', spacing: SPACINGS, separator: '?' },
  Column: { items: 'skip', width: '*', style: CONTAINER_STYLES, spacing: SPACINGS },
  FactSet: { facts: 'skip', spacing: SPACINGS, separator: '?' },
  'Action.OpenUrl': { url: '*', title: '*' },
};

/** Properties whose values are further elements, and the types they may have. */
const ELEMENTS = ['TextBlock', 'RichTextBlock', 'Container', 'ColumnSet', 'FactSet'];
const CHILDREN: Readonly<Record<string, readonly string[]>> = {
  body: ELEMENTS,
  items: ELEMENTS,
  columns: ['Column'],
  inlines: ['TextRun'],
  actions: ['Action.OpenUrl'],
};

/** The card, or why Teams does not show it. */
export function showCard(body: JsonObject | undefined, at: number): ShownCard | string {
  const [attachment] = objectsOf(body?.attachments) ?? [];
  if (body?.type !== 'message' || attachment === undefined) return 'no message with an attachment';
  if (attachment.contentType !== CONTENT_TYPE) return 'no Adaptive Card';
  const card = attachment.content;
  if (!isObject(card) || card.type !== 'AdaptiveCard') return 'no Adaptive Card';
  if (!VERSIONS.includes(textOf(card.version))) return `version ${textOf(card.version)} of Adaptive Cards`;
  const problem = checkElement(card, ['AdaptiveCard'], 'card');
  return problem ?? { at, card, notified: notifiedBy(card) };
}

function checkElement(element: JsonObject, types: readonly string[], path: string): string | undefined {
  const type = textOf(element.type);
  const properties = PROPERTIES[type];
  if (!types.includes(type) || properties === undefined) return `${path}: type '${type}'`;
  for (const [name, value] of Object.entries(element)) {
    const problem = name === 'type' ? undefined : checkProperty(properties[name], value, `${path}.${name}`);
    if (problem !== undefined) return problem;
    const allowed = CHILDREN[name];
    if (allowed === undefined) continue;
    const children = objectsOf(value);
    if (children === undefined) return `${path}.${name}: not a list of objects`;
    for (const [index, child] of children.entries()) {
      const wrong = checkElement(child, allowed, `${path}.${name}[${index}]`);
      if (wrong !== undefined) return wrong;
    }
  }
  return checkRequired(element, path);
}

function checkProperty(expected: '*' | '?' | 'skip' | readonly string[] | undefined, value: Json, path: string) {
  if (expected === undefined) return `${path}: unknown property`;
  if (expected === 'skip') return undefined;
  if (expected === '?') return typeof value === 'boolean' ? undefined : `${path}: not a flag`;
  if (typeof value !== 'string' || !value.isWellFormed()) return `${path}: not a text`;
  return expected === '*' || expected.includes(value.toLowerCase()) ? undefined : `${path}: '${value}'`;
}

function checkRequired(element: JsonObject, path: string): string | undefined {
  const { type, text, url, selectAction } = element;
  if ((type === 'TextBlock' || type === 'TextRun') && typeof text !== 'string') return `${path}: no text`;
  if (type === 'Action.OpenUrl' && !URL.canParse(textOf(url))) return `${path}: no address`;
  return isObject(selectAction) ? checkElement(selectAction, ['Action.OpenUrl'], `${path}.selectAction`) : undefined;
}

/** A mention notifies if a text block contains it and an entity with the same text names the person. */
function notifiedBy(card: JsonObject): readonly string[] {
  const { entities } = isObject(card.msteams) ? card.msteams : { entities: undefined };
  const texts = (objectsOf(card.body) ?? []).filter(({ type }) => type === 'TextBlock').map(({ text }) => textOf(text));
  return (objectsOf(entities) ?? []).flatMap(({ text, mentioned }) =>
    isObject(mentioned) && texts.some((one) => one.includes(textOf(text))) ? [textOf(mentioned.id)] : [],
  );
}
