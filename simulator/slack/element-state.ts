/** The value of an input or menu as Slack's `state.values` has it, from what a person entered. Pure. */

import { elementsIn } from './blocks.ts';
import { optionsOf } from './elements.ts';
import { isObject, type Json, type JsonObject, objectsIn, stringOr } from './json.ts';

/** What a person entered: text, the value of an option, several of them, or nothing. */
export type Entered = string | readonly string[] | null;

/** By block, then by action. */
export type StateValues = Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;

/** Entered values by block and action, or by action alone. */
export type EnteredValues = Readonly<Record<string, Entered | Readonly<Record<string, Entered>>>>;

/** Name of the field that holds the value, for types with a plain value. */
const PLAIN_FIELDS: Readonly<Record<string, string>> = {
  plain_text_input: 'value',
  email_text_input: 'value',
  url_text_input: 'value',
  number_input: 'value',
  datepicker: 'selected_date',
  timepicker: 'selected_time',
  users_select: 'selected_user',
  conversations_select: 'selected_conversation',
  channels_select: 'selected_channel',
};

const LIST_FIELDS: Readonly<Record<string, string>> = {
  multi_users_select: 'selected_users',
  multi_conversations_select: 'selected_conversations',
  multi_channels_select: 'selected_channels',
};

export const isStateful = ({ type }: JsonObject): boolean => type !== 'button' && type !== 'overflow';

/** The state of an element after a person entered something. An unknown option counts as nothing. */
export function stateOf(element: JsonObject, entered: Entered): JsonObject {
  const type = stringOr(element.type, '');
  const chosen = entered === null ? [] : [entered].flat();
  const one = chosen[0] === undefined || chosen[0] === '' ? null : chosen[0];
  const plain = PLAIN_FIELDS[type];
  if (plain !== undefined) return { type, [plain]: one };
  const list = LIST_FIELDS[type];
  if (list !== undefined) return { type, [list]: chosen };
  if (type === 'datetimepicker') return { type, selected_date_time: one === null ? null : Number(one) };
  const options = optionsOf(element).filter(({ value }) => chosen.includes(stringOr(value, '')));
  const isSeveral = type === 'checkboxes' || type === 'multi_static_select';
  return isSeveral ? { type, selected_options: options } : { type, selected_option: options[0] ?? null };
}

/** The state of an element that no one touched. */
export function initialState(element: JsonObject): JsonObject {
  const values = (field: Json | undefined) =>
    (isObject(field) ? [field] : (objectsIn(field) ?? [])).map(({ value }) => stringOr(value, ''));
  const plain = [
    element.initial_value,
    element.initial_date,
    element.initial_time,
    element.initial_user,
    element.initial_conversation,
    element.initial_channel,
    element.initial_date_time,
  ].find((value) => value !== undefined);
  const lists = [element.initial_users, element.initial_conversations, element.initial_channels].find(Array.isArray);
  const options = [...values(element.initial_option), ...values(element.initial_options)];
  const entered = plain === undefined ? (lists?.map(String) ?? options) : String(plain);
  return stateOf(element, entered);
}

export function isEmpty(state: JsonObject): boolean {
  return Object.entries(state).every(
    ([name, value]) => name === 'type' || value === null || (Array.isArray(value) && value.length === 0),
  );
}

/** The state of all elements: what was entered, else what was there before, else the initial values. */
export function mergeState(
  blocks: readonly JsonObject[],
  before: StateValues,
  entered: EnteredValues = {},
): StateValues {
  const rows = blocks.flatMap((block) => {
    const id = stringOr(block.block_id, '');
    const elements = elementsIn(block).filter(isStateful);
    if (elements.length === 0) return [];
    const states = elements.map((element) => {
      const action = stringOr(element.action_id, '');
      const value = enteredFor(entered, id, action);
      const old = before[id]?.[action];
      return [action, value === undefined ? (old ?? initialState(element)) : stateOf(element, value)] as const;
    });
    return [[id, Object.fromEntries(states)] as const];
  });
  return Object.fromEntries(rows);
}

function enteredFor(entered: EnteredValues, block: string, action: string): Entered | undefined {
  const own = entered[block];
  if (own !== undefined) {
    if (typeof own !== 'object' || own === null || Array.isArray(own)) return own as Entered;
    const value = (own as Readonly<Record<string, Entered>>)[action];
    if (value !== undefined) return value;
  }
  const byAction = entered[action];
  const isPlain = typeof byAction === 'string' || byAction === null || Array.isArray(byAction);
  return isPlain ? (byAction as Entered) : undefined;
}
