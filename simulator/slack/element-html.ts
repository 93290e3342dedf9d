/** Interactive elements of blocks as HTML: buttons, menus and inputs. A form around them sends what the person did. Pure. */

import { initialState, isStateful, type StateValues } from './element-state.ts';
import { optionsOf } from './elements.ts';
import { isObject, type Json, type JsonObject, objectsIn, stringOr } from './json.ts';
import { escapeHtml, type Members, textHtml } from './markup.ts';

/** Where the elements stand, and what they know. */
export interface ElementContext {
  readonly members: Members;
  /** Channels to choose from, by id. */
  readonly channels: Readonly<Record<string, string>>;
  /** What was entered. */
  readonly values: StateValues;
  /**
   * The form of an element on its own, with its hidden fields; in a modal all elements share one form.
   * @default - the surrounding form
   */
  readonly form?: (inner: string) => string;
  /** Distinguishes the ids of this message or view in the page. */
  readonly key: string;
}

/** Name of a field in a form. */
export const fieldName = (block: JsonObject, element: JsonObject): string =>
  JSON.stringify([stringOr(block.block_id, ''), stringOr(element.action_id, '')]);

/** @param isDispatching whether a change is sent to the app at once */
export function elementHtml(
  element: JsonObject,
  block: JsonObject,
  context: ElementContext,
  isDispatching: boolean,
): string {
  const name = escapeHtml(fieldName(block, element));
  const form = context.form ?? ((inner: string) => inner);
  if (element.type === 'button') return buttonHtml(element, name, context, form);
  if (element.type === 'overflow') return overflowHtml(element, name, form);
  if (!isStateful(element)) return '';
  const control = controlHtml(element, block, context, name);
  if (!isDispatching) return control;
  const button = `<button class="set" name="press" value="${name}" formnovalidate>Set</button>`;
  return form(`<span class="dispatch" data-dispatch>${control}${button}</span>`);
}

function buttonHtml(
  element: JsonObject,
  name: string,
  { members, key }: ElementContext,
  form: (inner: string) => string,
): string {
  const style = element.style === 'primary' || element.style === 'danger' ? ` ${element.style}` : '';
  const label = textHtml(element.text, members);
  if (typeof element.url === 'string' && /^https?:\/\//.test(element.url))
    return `<a class="button${style}" href="${escapeHtml(element.url)}" rel="noreferrer">${label}</a>`;
  const send = `name="press" value="${name}" formnovalidate`;
  const { confirm } = element;
  if (!isObject(confirm)) return form(`<button class="button${style}" ${send}>${label}</button>`);
  const id = escapeHtml(`confirm ${key} ${stringOr(element.action_id, '')}`.replaceAll(/[^\w.-]+/g, '-'));
  const danger = confirm.style === 'danger' ? ' danger' : ' primary';
  return form(
    [
      `<button class="button${style}" type="button" popovertarget="${id}">${label}</button>`,
      `<div popover id="${id}" class="confirm" role="dialog" aria-labelledby="${id}-title"><h3 id="${id}-title">${textHtml(confirm.title, members)}</h3>`,
      `<p>${textHtml(confirm.text, members)}</p><p class="buttons">`,
      `<button class="button" type="button" popovertarget="${id}" popovertargetaction="hide">${textHtml(confirm.deny, members)}</button>`,
      `<button class="button${danger}" ${send}>${textHtml(confirm.confirm, members)}</button></p></div>`,
    ].join(''),
  );
}

function overflowHtml(element: JsonObject, name: string, form: (inner: string) => string): string {
  const options = optionsOf(element).map(
    ({ text, value }) =>
      `<button class="button" name="chosen" value="${escapeHtml(stringOr(value, ''))}">${textHtml(text, {})}</button>`,
  );
  return form(
    `<details class="overflow"><summary class="button" aria-label="More">⋯</summary><input type="hidden" name="press" value="${name}">${options.join('')}</details>`,
  );
}

const INPUT_TYPES: Readonly<Record<string, string>> = {
  email_text_input: 'email',
  url_text_input: 'url',
  number_input: 'number',
  datepicker: 'date',
  timepicker: 'time',
};

function controlHtml(element: JsonObject, block: JsonObject, context: ElementContext, name: string): string {
  const state =
    context.values[stringOr(block.block_id, '')]?.[stringOr(element.action_id, '')] ?? initialState(element);
  const label = escapeHtml(labelOf(block, element));
  const common = `name="${name}" aria-label="${label}"`;
  const type = stringOr(element.type, '');
  const value = escapeHtml(String(state.value ?? state.selected_date ?? state.selected_time ?? ''));
  const placeholder = ` placeholder="${escapeHtml(placeholderOf(element))}"`;
  if (type === 'plain_text_input' && element.multiline === true)
    return `<textarea ${common}${placeholder} rows="4">${value}</textarea>`;
  if (type === 'plain_text_input') return `<input type="text" ${common}${placeholder} value="${value}">`;
  const inputType = INPUT_TYPES[type];
  if (inputType !== undefined)
    return `<input type="${inputType}" ${common} value="${value}"${type === 'number_input' ? ' step="any"' : ''}>`;
  if (type === 'datetimepicker')
    return `<input type="number" ${common} value="${escapeHtml(String(state.selected_date_time ?? ''))}">`;
  const chosen = chosenIn(state);
  if (type === 'radio_buttons' || type === 'checkboxes' || type.startsWith('multi_'))
    return picksHtml(choicesOf(element, context), chosen, name, label, type === 'radio_buttons' ? 'radio' : 'checkbox');
  return `<select ${common}><option value="">${escapeHtml(placeholderOf(element) || 'Select an item')}</option>${choicesOf(
    element,
    context,
  )
    .map(
      (one) =>
        `<option value="${escapeHtml(one.value)}"${chosen.includes(one.value) ? ' selected' : ''}>${escapeHtml(one.plain)}</option>`,
    )
    .join('')}</select>`;
}

function picksHtml(
  choices: readonly Choice[],
  chosen: readonly string[],
  name: string,
  label: string,
  type: 'radio' | 'checkbox',
): string {
  const picks = choices.map(
    ({ value, html, description }) =>
      `<label><input type="${type}" name="${name}" value="${escapeHtml(value)}"${chosen.includes(value) ? ' checked' : ''}><span>${html}${description}</span></label>`,
  );
  return `<div class="picks" role="group" aria-label="${label}">${picks.join('')}</div>`;
}

interface Choice {
  readonly value: string;
  readonly html: string;
  readonly plain: string;
  readonly description: string;
}

function choicesOf(element: JsonObject, { members, channels }: ElementContext): readonly Choice[] {
  const named = (names: Readonly<Record<string, string>>) =>
    Object.entries(names).map(([value, name]) => ({ value, html: escapeHtml(name), plain: name, description: '' }));
  const type = stringOr(element.type, '');
  if (type.endsWith('users_select'))
    return named(Object.fromEntries(Object.entries(members).filter(([id]) => id.startsWith('U'))));
  if (type.endsWith('conversations_select') || type.endsWith('channels_select')) return named(channels);
  return optionsOf(element).map(({ text, value, description }) => ({
    value: stringOr(value, ''),
    html: textHtml(text, members),
    plain: isObject(text) ? stringOr(text.text, '') : '',
    description: description === undefined ? '' : `<small>${textHtml(description, members)}</small>`,
  }));
}

/** Values that are chosen in a menu, whatever its kind. */
function chosenIn(state: JsonObject): readonly string[] {
  const options = [
    ...(isObject(state.selected_option) ? [state.selected_option] : []),
    ...(objectsIn(state.selected_options) ?? []),
  ];
  const single = [state.selected_user, state.selected_conversation, state.selected_channel].filter(
    (one): one is string => typeof one === 'string',
  );
  const lists = [state.selected_users, state.selected_conversations, state.selected_channels].flatMap((list) =>
    Array.isArray(list) ? list.map((one: Json) => String(one)) : [],
  );
  return [...options.map(({ value }) => stringOr(value, '')), ...single, ...lists];
}

const placeholderOf = ({ placeholder }: JsonObject): string =>
  isObject(placeholder) ? stringOr(placeholder.text, '') : '';

function labelOf({ label, text }: JsonObject, element: JsonObject): string {
  const of = [label, text].find(isObject);
  return placeholderOf(element) || stringOr(of?.text, '') || stringOr(element.action_id, 'Value');
}
