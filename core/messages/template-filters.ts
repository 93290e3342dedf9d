/** Which of Liquid's tags and filters a template may use, and the few filters of our own. Pure; renders nothing. */

import { type Context, type FilterImplOptions, type Liquid, toValue } from 'liquidjs';
import { amount } from '../events/facts.ts';
import { isDay } from '../model/calendar.ts';
import type { Instant } from '../model/time.ts';
import { escapeSlack } from './escape.ts';

/** What a filter knows of the message it helps to write. */
export interface TemplateContext {
  readonly timeZone: string;
  /** What 'now' means. */
  readonly at: Instant;
}

/** Under which name a context keeps its setting: registers are out of a template's reach. */
const SETTING = 'tidings';

export function setTemplateContext(context: Context, setting: TemplateContext): void {
  context.setRegister(SETTING, setting);
}

function settingOf(context: Context): TemplateContext {
  return context.getRegister<TemplateContext>(SETTING) ?? { timeZone: 'UTC', at: '1970-01-01T00:00:00.000Z' };
}

/** Tags that read other files. There are none to read. */
export const FILE_TAGS = ['include', 'render', 'layout', 'block'] as const;

/**
 * The filters of Liquid as its own documentation lists them, with `json`, `group_by` and `raw`. A list of what may be
 * used and not of what may not: the library also brings filters that evaluate text as an expression, throw dice or read
 * the machine's clock and zone, and a later version may bring more.
 */
const LIQUID = `
  abs append at_least at_most base64_decode base64_encode capitalize ceil compact concat date default divided_by downcase
  escape escape_once find find_index first floor group_by has join json last lstrip map minus modulo newline_to_br plus
  prepend raw reject remove remove_first remove_last replace replace_first replace_last reverse round rstrip size slice
  sort sort_natural split strip strip_html strip_newlines sum times truncate truncatewords uniq upcase url_decode
  url_encode where`;

const KNOWN: ReadonlySet<string> = new Set(LIQUID.trim().split(/\s+/));

interface Within {
  readonly context: Context;
}

/** Takes away what a template must not use, and adds ours. */
export function registerFilters(engine: Liquid): void {
  for (const tag of FILE_TAGS) delete engine.tags[tag];
  for (const name of Object.keys(engine.filters)) if (!KNOWN.has(name)) engine.unregisterFilter(name);
  engine.registerFilter('money', money);
  engine.registerFilter('day', day);
  engine.registerFilter('slack', (value: unknown) => escapeSlack(toDisplayText(value)));
  engine.registerFilter('date', zonedDate(engine.filters.date));
}

/** `1,200.50` */
function money(value: unknown): unknown {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? amount(number) : value;
}

const days = new Map<string, Intl.DateTimeFormat>();

/** `20 Nov 2026`, of a day or of an instant in the subscription's zone. What is neither stays as it is. */
function day(this: Within, value: unknown): unknown {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d/.test(value)) return value;
  const millis = Date.parse(value);
  if (Number.isNaN(millis)) return value;
  // A day is the same day everywhere.
  const zone = isDay(value) ? 'UTC' : settingOf(this.context).timeZone;
  const format = days.get(zone) ?? new Intl.DateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'medium' });
  days.set(zone, format);
  return format.format(millis);
}

/** Liquid's own, but in the subscription's zone instead of the machine's, and 'now' is when the message is made. */
function zonedDate(date: FilterImplOptions | undefined): FilterImplOptions {
  const original = typeof date === 'function' ? date : date?.handler;
  return function (value: unknown, format: unknown, zone: unknown) {
    const { timeZone, at } = settingOf(this.context);
    const moment = value === 'now' || value === 'today' ? at : value;
    return original?.call(this, moment, format, zone ?? (isDay(moment) ? 0 : timeZone));
  };
}

/** A value as a template shows it: nothing for what is not there, lists one after the other, sections as JSON. */
export function toDisplayText(value: unknown): string {
  const plain: unknown = toValue(value);
  if (plain === null || plain === undefined) return '';
  if (Array.isArray(plain)) return plain.map(toDisplayText).join('');
  return typeof plain === 'object' ? JSON.stringify(plain) : String(plain);
}
