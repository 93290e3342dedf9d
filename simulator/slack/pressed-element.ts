/** An interactive element that a person uses: how it is found in blocks, and the `action` that Slack sends for it. Pure. */

import { elementsIn } from './blocks.ts';
import { type Entered, type EnteredValues, isStateful, stateOf } from './element-state.ts';
import { optionsOf } from './elements.ts';
import { type JsonObject, stringOr } from './json.ts';

/** An element that a person uses. */
export interface Pressed {
  readonly action: string;
  /** @default - the first block with that action */
  readonly block?: string;
  /** The chosen option or entered value, for elements that have one. @default - none */
  readonly value?: Entered;
}

export function findElement(blocks: readonly JsonObject[], { action, block }: Pressed) {
  for (const one of blocks) {
    if (block !== undefined && one.block_id !== block) continue;
    const element = elementsIn(one).find(({ action_id: id }) => id === action);
    if (element !== undefined) return { block: one, element };
  }
  throw new RangeError(`no element '${action}'`);
}

/** Empty for elements without a value of their own, such as buttons. */
export const enteredValues = (block: JsonObject, element: JsonObject, value: Entered): EnteredValues =>
  isStateful(element) ? { [stringOr(block.block_id, '')]: { [stringOr(element.action_id, '')]: value } } : {};

export function actionJson(block: JsonObject, element: JsonObject, value: Entered, at: string): JsonObject {
  const base = {
    type: stringOr(element.type, ''),
    action_id: stringOr(element.action_id, ''),
    block_id: stringOr(block.block_id, ''),
    action_ts: at,
  };
  if (element.type === 'button') {
    const { text = null, value: given, style } = element;
    return {
      ...base,
      text,
      ...(given === undefined ? {} : { value: given }),
      ...(style === undefined ? {} : { style }),
    };
  }
  if (element.type === 'overflow')
    return { ...base, selected_option: optionsOf(element).find((one) => one.value === value) ?? null };
  return { ...base, ...stateOf(element, value) };
}
