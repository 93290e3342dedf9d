/** The form of a subscription as text, and the request to the management API that it stands for. Pure. */

import { channelRegistry } from '../adapters/channels/registry.ts';
import type { Subscription } from '../core/model/subscription.ts';
import { traitsOf } from '../core/ports/channel.ts';
import type { FieldError } from '../manage/api/http/problem.ts';
import { toConfigForm } from '../manage/api/subscriptions/subscription-view.ts';
import {
  type ChannelField,
  channelFields,
  fieldsOfWay,
  findFormProblems,
  formToSettings,
  isSettingsUntouched,
  settingsToForm,
  wayOf,
} from './channel-fields.ts';
import { contentModeOf, filterToForm, formToFilter, modeOf } from './filter-form.ts';
import { type FormText, isSameText, parseJson, textOf } from './form-text.ts';

/** Settings of the subscription itself that the form has as single lines of text. */
const PLAIN_KEYS = ['timeZone', 'rate', 'gather', 'dayStartsAt', 'concurrency'] as const;

/** The stored subscription as text. @param types all event types */
export function subscriptionToForm(subscription: Subscription, types: readonly string[]): FormText {
  const { template = {}, to } = subscription;
  const view: Readonly<Record<string, unknown>> = toConfigForm(subscription, () => undefined);
  const plain = PLAIN_KEYS.flatMap((key) => (view[key] === undefined ? [] : [[key, String(view[key])] as const]));
  const fields = channelFields(to.channel);
  return new Map([
    ['name', subscription.name],
    ['channel', to.channel],
    ...filterToForm(subscription, types),
    ...plain,
    ...Object.entries(template).map(
      ([part, value]) =>
        [`template.${part}`, typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)] as const,
    ),
    ['way', wayOf(to.channel, new Map(), to.settings)?.key ?? ''],
    ...settingsToForm(to.settings, fields),
  ]);
}

export interface FormRequest {
  readonly body: Readonly<Record<string, unknown>>;
  /** What the form itself finds missing or unreadable. */
  readonly errors: readonly FieldError[];
}

export interface FormRequestOptions {
  /** All event types that the person may see. */
  readonly types: readonly string[];
  /** The subscription that is changed. What the form still has as it was opened is left out. @default - a new one */
  readonly known?: Subscription;
}

/** The keys that are not given are left out for a new subscription, and null for one that is changed. */
export function formToRequest(form: FormText, { types, known }: FormRequestOptions): FormRequest {
  const channel = known?.to.channel ?? form.get('channel') ?? '';
  const stored = known === undefined ? new Map<string, string>() : subscriptionToForm(known, types);
  const filter = formToFilter(form, { types, known });
  const errors = [...filter.errors];
  const absent = known === undefined ? undefined : null;
  const isTouched = (name: string) => known === undefined || !isSameText(form, stored, [name]);
  const body: Record<string, unknown> = { ...filter.body };
  if (known === undefined || !isSettingsUntouched(form, stored, channel)) {
    body.to = { [channel]: formToSettings(form, fieldsOfWay(channel, form, known?.to.settings), known?.to.settings) };
    errors.push(...findFormProblems(form, channel, known?.to.settings));
  }
  for (const key of PLAIN_KEYS.filter(isTouched)) {
    const text = textOf(form, key);
    body[key] = text === undefined ? absent : key === 'concurrency' ? toNumber(text) : text;
  }
  const parts = Object.keys(traitsOf(channelRegistry, { channel }).templateParts);
  if (known === undefined || parts.some((part) => isTouched(`template.${part}`))) {
    body.template = templateOf(form, channel, stored, known, errors) ?? absent;
  }
  return { body: Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)), errors };
}

/** A part that was not touched stays as it is stored: line breaks and spaces of JSON may differ. */
function templateOf(
  form: FormText,
  channel: string,
  stored: FormText,
  known: Subscription | undefined,
  errors: FieldError[],
): object | undefined {
  const parts = traitsOf(channelRegistry, { channel }).templateParts;
  const given = Object.entries(parts).flatMap(([part, { form: shape }]): readonly (readonly [string, unknown])[] => {
    const name = `template.${part}`;
    const text = (form.get(name) ?? '').replaceAll('\r\n', '\n');
    const value = known?.template?.[part];
    if (value !== undefined && isSameText(form, stored, [name])) return [[part, value]];
    if (text.trim() === '') return [];
    return [[part, shape === 'json' ? parseJson(text, `/template/${part}`, errors) : text]];
  });
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

const toNumber = (text: string) => (/^\d{1,9}$/.test(text) ? Number(text) : text);

/** The field that a pointer of the management API, or of the form itself, is about; '' if the form has none for it. */
export function fieldAt(pointer: string, channel: string, form: FormText): string {
  const [first = '', ...rest] = pointer.split('/').slice(1);
  const [key] = rest;
  if (first === 'conditions') return `condition.${key}.value`;
  if (['query', 'events', 'event', 'where', 'digest', 'quiet'].includes(first)) {
    if (modeOf(form) === 'query') return 'query';
    if (first === 'digest') return `digest.${key ?? 'at'}`;
    if (first === 'quiet') return `quiet.${key ?? 'from'}`;
    if (first === 'where') return contentModeOf(form) === 'pattern' ? 'where' : 'events';
    return 'events';
  }
  if (first === 'url') return 'to.url';
  if (first === 'template') return key === undefined ? '' : `template.${key}`;
  if (first === 'to') return settingsField(rest.slice(1), channelFields(channel));
  return ['name', ...PLAIN_KEYS].includes(first) ? first : '';
}

/** The field whose path the pointer begins with, or that begins with the pointer. */
function settingsField(path: readonly string[], fields: readonly ChannelField[]): string {
  const name = ['to', ...path].join('.');
  const exact = fields.find((field) => name === field.name || name.startsWith(`${field.name}.`));
  return (exact ?? fields.find((field) => field.name.startsWith(`${name}.`)) ?? fields[0])?.name ?? '';
}
