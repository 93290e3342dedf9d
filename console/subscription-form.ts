/** The form of a subscription as text, and the request to the management API that it stands for. Pure. */

import { channelRegistry } from '../adapters/channels/registry.ts';
import { printQuery } from '../core/filters/query.ts';
import { queryFromSubscription } from '../core/filters/query-from.ts';
import { type Subscription, WEEKDAYS, type Weekday } from '../core/model/subscription.ts';
import { traitsOf } from '../core/ports/channel.ts';
import type { FieldError } from '../manage/api/http/problem.ts';
import { toConfigForm } from '../manage/api/subscriptions/subscription-view.ts';
import { type ChannelField, channelFields, formToSettings, settingsToForm } from './channel-fields.ts';

export type FormText = ReadonlyMap<string, string>;

/** `query`: one line in the query language; `fields`: event types, a pattern and times. */
export type FormMode = 'query' | 'fields';

export function modeOf(form: FormText): FormMode {
  return form.get('mode') === 'fields' ? 'fields' : 'query';
}

/** Settings of the subscription itself that the form has as single lines of text. */
const PLAIN_KEYS = ['timeZone', 'rate', 'gather', 'dayStartsAt'] as const;

/** The stored subscription as text. @param types all event types */
export function subscriptionToForm(subscription: Subscription, types: readonly string[]): FormText {
  const { events, where, digest, quiet, concurrency, template = {}, to } = subscription;
  const view: Readonly<Record<string, unknown>> = toConfigForm(subscription, () => undefined);
  const query = queryFromSubscription({ events, where, digest, quiet }, types);
  const plain = PLAIN_KEYS.flatMap((key) => (view[key] === undefined ? [] : [[key, String(view[key])] as const]));
  return new Map([
    ['name', subscription.name],
    ['channel', to.channel],
    ...filterToForm({ events, where, digest, quiet }),
    ['mode', query === undefined ? 'fields' : 'query'],
    ['query', query === undefined ? '' : printQuery(query)],
    ...plain,
    ...(concurrency === undefined ? [] : ([['concurrency', `${concurrency}`]] as const)),
    ...Object.entries(template).map(
      ([part, value]) =>
        [`template.${part}`, typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)] as const,
    ),
    ...settingsToForm(to.settings, channelFields(to.channel)),
  ]);
}

type Filter = Pick<Subscription, 'events' | 'where' | 'digest' | 'quiet'>;

/** The fields of the mode `fields`. */
export function filterToForm({ events, where, digest, quiet }: Filter): readonly (readonly [string, string])[] {
  return [
    ['events', events.join('\n')],
    ['where', where === undefined ? '' : JSON.stringify(where, undefined, 2)],
    ['digest.at', digest?.at ?? ''],
    ['digest.days', (digest?.days ?? []).join('\n')],
    ['digest.list', digest?.list ?? ''],
    ['digest.groupBy', digest?.groupBy ?? ''],
    ['quiet.from', quiet?.from ?? ''],
    ['quiet.until', quiet?.until ?? ''],
    ['quiet.days', (quiet?.days ?? []).join('\n')],
  ];
}

export interface FormRequest {
  readonly body: Readonly<Record<string, unknown>>;
  /** Texts that are not even JSON. */
  readonly errors: readonly FieldError[];
}

/**
 * The keys that are not given are left out for a new subscription, and null for one that is changed.
 * @param known the subscription that is changed. @default - a new one
 */
export function formToRequest(form: FormText, known?: Subscription): FormRequest {
  const errors: FieldError[] = [];
  const channel = known?.to.channel ?? form.get('channel') ?? '';
  const settings = formToSettings(form, channelFields(channel), known?.to.settings);
  const absent = known === undefined ? undefined : null;
  const concurrency = textOf(form, 'concurrency');
  const body: Record<string, unknown> = {
    ...filterOf(form, errors, absent),
    to: { [channel]: settings },
    ...Object.fromEntries(PLAIN_KEYS.map((key) => [key, textOf(form, key) ?? absent])),
    concurrency: concurrency === undefined ? absent : toNumber(concurrency),
    template: templateOf(form, channel, errors) ?? absent,
  };
  return { body: Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)), errors };
}

/** The keys of the filter alone, as `filters/test` takes them. */
export function formToFilter(form: FormText): FormRequest {
  const errors: FieldError[] = [];
  const { query, events, where } = filterOf(form, errors, undefined);
  const body = Object.entries({ query, events, where }).filter(([, value]) => value !== undefined);
  return { body: Object.fromEntries(body), errors };
}

function filterOf(form: FormText, errors: FieldError[], absent: null | undefined): Record<string, unknown> {
  if (modeOf(form) === 'query') return { query: (form.get('query') ?? '').trim() };
  const at = textOf(form, 'digest.at');
  const [from, until, quietDays] = [
    textOf(form, 'quiet.from'),
    textOf(form, 'quiet.until'),
    daysOf(form, 'quiet.days'),
  ];
  const digest = {
    at,
    days: daysOf(form, 'digest.days'),
    list: textOf(form, 'digest.list'),
    groupBy: textOf(form, 'digest.groupBy'),
  };
  const hasQuiet = from !== undefined || until !== undefined || quietDays !== undefined;
  const where = textOf(form, 'where');
  return {
    events: (form.get('events') ?? '').split(/[\s,]+/).filter((glob) => glob !== ''),
    where: where === undefined ? absent : parseJson(where, '/where', errors),
    digest: at === undefined ? absent : withoutAbsent(digest),
    quiet: hasQuiet ? withoutAbsent({ from, until, days: quietDays }) : absent,
  };
}

function templateOf(form: FormText, channel: string, errors: FieldError[]): object | undefined {
  const parts = traitsOf(channelRegistry, { channel }).templateParts;
  const given = Object.entries(parts).flatMap(([name, { form: shape }]) => {
    const text = form.get(`template.${name}`) ?? '';
    if (text.trim() === '') return [];
    return [[name, shape === 'json' ? parseJson(text, `/template/${name}`, errors) : text]];
  });
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

function textOf(form: FormText, name: string): string | undefined {
  const text = (form.get(name) ?? '').trim();
  return text === '' ? undefined : text;
}

function daysOf(form: FormText, name: string): readonly string[] | undefined {
  const days = (form.get(name) ?? '').split('\n').filter((day) => day !== '');
  return days.length === 0 ? undefined : days.toSorted((a, b) => indexOfDay(a) - indexOfDay(b));
}

const indexOfDay = (day: string) => WEEKDAYS.indexOf(day as Weekday);

const toNumber = (text: string) => (/^\d{1,9}$/.test(text) ? Number(text) : text);

function parseJson(text: string, pointer: string, errors: FieldError[]): unknown {
  try {
    return JSON.parse(text);
  } catch {
    errors.push({ pointer, detail: 'expected JSON: is a quote, comma, bracket or brace missing?' });
    return undefined;
  }
}

function withoutAbsent(section: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(section).filter(([, value]) => value !== undefined));
}

/** The field that a pointer of the management API is about; '' if the form has none for it. */
export function fieldAt(pointer: string, channel: string, mode: FormMode): string {
  const [first = '', ...rest] = pointer.split('/').slice(1);
  if (['query', 'events', 'event', 'where', 'digest', 'quiet'].includes(first)) {
    if (mode === 'query') return 'query';
    const [key] = rest;
    if (first === 'digest') return `digest.${key ?? 'at'}`;
    return first === 'quiet' ? `quiet.${key ?? 'from'}` : first.replace(/^event$/, 'events');
  }
  if (first === 'url') return 'to.url';
  if (first === 'template') return rest[0] === undefined ? '' : `template.${rest[0]}`;
  if (first === 'to') return settingsField(rest.slice(1), channelFields(channel));
  return ['name', 'concurrency', ...PLAIN_KEYS].includes(first) ? first : '';
}

/** The field whose path the pointer begins with, or that begins with the pointer. */
function settingsField(path: readonly string[], fields: readonly ChannelField[]): string {
  const name = ['to', ...path].join('.');
  const exact = fields.find((field) => name === field.name || name.startsWith(`${field.name}.`));
  return (exact ?? fields.find((field) => field.name.startsWith(`${name}.`)) ?? fields[0])?.name ?? '';
}
