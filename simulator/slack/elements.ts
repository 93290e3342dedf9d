/**
 * Checks the interactive elements of blocks (buttons, menus, inputs) against Slack's documented limits, and describes the
 * first problem. Text, lists and ids are checked here too, because blocks use the same rules.
 */

import { first, isObject, type Json, type JsonObject, objectsIn } from './json.ts';

type Check = (element: JsonObject, path: string) => string | undefined;

const ID_LENGTH = 255;
const TEXT_TYPES = ['plain_text', 'mrkdwn'];
const PLAIN = ['plain_text'];

export function checkText(
  value: Json | undefined,
  path: string,
  max: number,
  types: readonly string[] = TEXT_TYPES,
): string | undefined {
  if (!isObject(value)) return `${path}: no text object`;
  if (!types.includes(String(value.type))) return `${path}: type '${String(value.type)}'`;
  if (typeof value.text !== 'string' || value.text.length === 0) return `${path}: must be more than 0 characters`;
  if (value.type === 'mrkdwn' && value.emoji !== undefined) return `${path}: emoji is for plain_text only`;
  if (!value.text.isWellFormed()) return `${path}: unpaired surrogate`;
  return value.text.length > max ? `${path}: must be less than ${max + 1} characters` : undefined;
}

export function checkList(value: Json | undefined, path: string, max: number, check: Check): string | undefined {
  const list = objectsIn(value);
  if (list === undefined || list.length === 0) return `${path}: no more than ${max} items and at least 1 needed`;
  if (list.length > max) return `${path}: no more than ${max} items allowed`;
  return first(list, (one, index) => check(one, `${path}/${index}`));
}

export function checkString(value: Json | undefined, path: string, max: number): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string') return `${path}: must be a string`;
  return value.length > max ? `${path}: must be less than ${max + 1} characters` : undefined;
}

export const checkId = (value: Json | undefined, path: string): string | undefined =>
  value === '' ? `${path}: must be more than 0 characters` : checkString(value, path, ID_LENGTH);

/** A text that may be absent. */
const optionalText = (value: Json | undefined, path: string, max: number, types = PLAIN) =>
  value === undefined ? undefined : checkText(value, path, max, types);

function checkConfirm(value: Json | undefined, path: string): string | undefined {
  if (value === undefined) return undefined;
  if (!isObject(value)) return `${path}: no confirmation dialog`;
  return (
    checkText(value.title, `${path}/title`, 100, PLAIN) ??
    checkText(value.text, `${path}/text`, 300) ??
    checkText(value.confirm, `${path}/confirm`, 30, PLAIN) ??
    checkText(value.deny, `${path}/deny`, 30, PLAIN) ??
    checkStyle(value.style, path)
  );
}

const checkStyle = (style: Json | undefined, path: string) =>
  style === undefined || style === 'primary' || style === 'danger' ? undefined : `${path}/style: primary or danger`;

const checkOption =
  (types: readonly string[]): Check =>
  (option, path) =>
    checkText(option.text, `${path}/text`, 75, types) ??
    (typeof option.value === 'string' && option.value !== '' ? undefined : `${path}/value: must be a string`) ??
    checkString(option.value, `${path}/value`, 150) ??
    optionalText(option.description, `${path}/description`, 75, [...types]);

/** Menus have a list of options, or groups of them. */
const checkMenu: Check = (element, path) =>
  (element.option_groups !== undefined
    ? checkList(
        element.option_groups,
        `${path}/option_groups`,
        100,
        (group, at) =>
          checkText(group.label, `${at}/label`, 75, PLAIN) ??
          checkList(group.options, `${at}/options`, 100, checkOption(PLAIN)),
      )
    : checkList(element.options, `${path}/options`, 100, checkOption(PLAIN))) ?? checkInitial(element, path);

/** All options of a menu, in groups or not. */
export function optionsOf(element: JsonObject): readonly JsonObject[] {
  const groups = objectsIn(element.option_groups) ?? [];
  return [...(objectsIn(element.options) ?? []), ...groups.flatMap((group) => objectsIn(group.options) ?? [])];
}

/** An initial option has to be one of the options. */
const checkInitial: Check = (element, path) => {
  const options = optionsOf(element).map((one) => JSON.stringify(one));
  const initial = [
    ...(isObject(element.initial_option) ? [element.initial_option] : []),
    ...(objectsIn(element.initial_options) ?? []),
  ];
  const strange = initial.some((one) => !options.includes(JSON.stringify(one)));
  return strange ? `${path}: initial options must be equal to some of the options` : undefined;
};

const checkChoices: Check = (element, path) =>
  checkList(element.options, `${path}/options`, 10, checkOption(TEXT_TYPES)) ?? checkInitial(element, path);

const checkPattern =
  (field: string, pattern: RegExp): Check =>
  (element, path) => {
    const value = element[field];
    const fits = value === undefined || (typeof value === 'string' && pattern.test(value));
    return fits ? undefined : `${path}/${field}: invalid`;
  };

const checkButton: Check = (element, path) =>
  checkText(element.text, `${path}/text`, 75, PLAIN) ??
  checkString(element.value, `${path}/value`, 2000) ??
  checkString(element.url, `${path}/url`, 3000) ??
  checkString(element.accessibility_label, `${path}/accessibility_label`, 75) ??
  checkStyle(element.style, path);

const checkTextInput: Check = (element, path) => {
  const { min_length: min, max_length: max } = element;
  const isLength = (value: Json | undefined, from: number) =>
    value === undefined || (typeof value === 'number' && value >= from && value <= 3000);
  if (!isLength(min, 0) || !isLength(max, 1)) return `${path}: lengths from 0 to 3000`;
  return checkString(element.initial_value, `${path}/initial_value`, 3000);
};

const nothing: Check = () => undefined;

const PICKERS: Readonly<Record<string, Check>> = {
  checkboxes: checkChoices,
  radio_buttons: checkChoices,
  static_select: checkMenu,
  multi_static_select: checkMenu,
  users_select: nothing,
  multi_users_select: nothing,
  conversations_select: nothing,
  multi_conversations_select: nothing,
  channels_select: nothing,
  multi_channels_select: nothing,
  datepicker: checkPattern('initial_date', /^\d{4}-\d\d-\d\d$/),
  timepicker: checkPattern('initial_time', /^([01]\d|2[0-3]):[0-5]\d$/),
  datetimepicker: nothing,
};

const PRESSED: Readonly<Record<string, Check>> = {
  button: checkButton,
  overflow: (element, path) => checkList(element.options, `${path}/options`, 5, checkOption(PLAIN)),
};

const TYPED: Readonly<Record<string, Check>> = {
  plain_text_input: checkTextInput,
  email_text_input: nothing,
  url_text_input: nothing,
  number_input: (element, path) =>
    typeof element.is_decimal_allowed === 'boolean' ? undefined : `${path}/is_decimal_allowed: required`,
};

/** Where an element stands decides which types it may have. */
const PLACES = {
  accessory: { ...PICKERS, ...PRESSED },
  actions: { ...PICKERS, ...PRESSED },
  input: { ...PICKERS, ...TYPED },
} as const;

export function checkElement(element: Json | undefined, path: string, place: keyof typeof PLACES): string | undefined {
  if (!isObject(element)) return `${path}: no element`;
  const type = String(element.type);
  const checks: Readonly<Record<string, Check>> = PLACES[place];
  const check = Object.hasOwn(checks, type) ? checks[type] : undefined;
  if (check === undefined) return `${path}: unsupported type '${type}'`;
  return (
    checkId(element.action_id, `${path}/action_id`) ??
    optionalText(element.placeholder, `${path}/placeholder`, 150) ??
    checkConfirm(element.confirm, `${path}/confirm`) ??
    check(element, path)
  );
}
