/** Checks a message posted to Google Chat against the documented limits, and finds whom it notifies. Pure. */

import { isObject, type JsonObject, objectsOf, textOf } from '../../../simulator/chat/json.ts';

/** From Google's reference of cards. */
const LIMITS = { cards: 100, widgets: 100, threadKey: 4000 } as const;

export function checkMessage(message: JsonObject): string | undefined {
  const { text, cardsV2, thread } = message;
  const cards = cardsV2 === undefined ? [] : objectsOf(cardsV2);
  if (cards === undefined || cards.length > LIMITS.cards) return 'cardsV2';
  if (cards.length === 0 && textOf(text).trim() === '') return 'Message cannot be empty.';
  if (isObject(thread) && textOf(thread.threadKey).length > LIMITS.threadKey) return 'thread.threadKey';
  const widgets = cards.flatMap(widgetsOf);
  if (cards.some((card) => widgetsOf(card).length === 0)) return 'a card without widgets';
  if (widgets.length > LIMITS.widgets) return 'more than 100 widgets';
  return widgets.map(checkWidget).find((problem) => problem !== undefined);
}

export function widgetsOf({ card }: JsonObject): readonly JsonObject[] {
  const sections = isObject(card) ? (objectsOf(card.sections) ?? []) : [];
  return sections.flatMap(({ widgets }) => objectsOf(widgets) ?? []);
}

function checkWidget(widget: JsonObject): string | undefined {
  const [kind = '', ...more] = Object.keys(widget);
  const content = widget[kind];
  if (more.length > 0 || !isObject(content)) return 'a widget must have one kind';
  if (kind === 'textParagraph') return isText(content.text) ? undefined : 'textParagraph.text';
  if (kind === 'decoratedText') return isText(content.text) ? undefined : 'decoratedText.text';
  if (kind !== 'buttonList') return `unknown widget ${kind}`;
  const buttons = objectsOf(content.buttons) ?? [];
  const isLink = ({ onClick }: JsonObject) =>
    isObject(onClick) && isObject(onClick.openLink) && URL.canParse(textOf(onClick.openLink.url));
  return buttons.length > 0 && buttons.every((one) => isText(one.text) && isLink(one)) ? undefined : 'buttonList';
}

const isText = (value: JsonObject[string] | undefined) =>
  typeof value === 'string' && value !== '' && value.isWellFormed();

/** Only `text` notifies: `<users/all>` everyone, `<users/123>` a person. */
export function notifiedBy({ text }: JsonObject): readonly string[] {
  return [...textOf(text).matchAll(/<users\/(\w+)>/g)].map(([, id = '']) => id);
}
