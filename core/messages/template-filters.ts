/** The Liquid tags and filters that templates may use, and the filters that Tidings adds. Does not render. */

import { type Context, type FilterImplOptions, type Liquid, toValue } from 'liquidjs';
import { amount } from '../events/facts.ts';
import { isDay } from '../model/calendar.ts';
import type { Instant } from '../model/time.ts';
import { createZoneFormat } from '../model/zone-format.ts';
import { escapeSlack } from './escape.ts';

/** The message's context, which filters read. */
export interface TemplateContext {
  readonly timeZone: string;
  /** The value of 'now'. */
  readonly at: Instant;
}

/** The register that holds the context. Templates cannot read registers. */
const REGISTER = 'tidings';

export function setTemplateContext(context: Context, setting: TemplateContext): void {
  context.setRegister(REGISTER, setting);
}

function getTemplateContext(context: Context): TemplateContext {
  return context.getRegister<TemplateContext>(REGISTER) ?? { timeZone: 'UTC', at: '1970-01-01T00:00:00.000Z' };
}

/** Tags that read other templates, which do not exist here. */
export const FILE_TAGS = ['include', 'render', 'layout', 'block'] as const;

/**
 * The documented filters of Liquid, with `json`, `group_by` and `raw`. An allowlist: the library also has filters that
 * evaluate text as an expression, are random or read the clock and zone of the machine, and may add more.
 */
const ALLOWED_FILTERS = `
  abs append at_least at_most base64_decode base64_encode capitalize ceil compact concat date default divided_by downcase
  escape escape_once find find_index first floor group_by has join json last lstrip map minus modulo newline_to_br plus
  prepend raw reject remove remove_first remove_last replace replace_first replace_last reverse round rstrip size slice
  sort sort_natural split strip strip_html strip_newlines sum times truncate truncatewords uniq upcase url_decode
  url_encode where`;

const ALLOWED: ReadonlySet<string> = new Set(ALLOWED_FILTERS.trim().split(/\s+/));

interface FilterThis {
  readonly context: Context;
}

/** Removes the tags and filters that are not allowed, and adds those of Tidings. */
export function registerFilters(engine: Liquid): void {
  for (const tag of FILE_TAGS) delete engine.tags[tag];
  for (const name of Object.keys(engine.filters)) if (!ALLOWED.has(name)) engine.unregisterFilter(name);
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

const dayFormatOf = createZoneFormat('en-GB', { dateStyle: 'medium' });

/** `20 Nov 2026`, from a day, or from an instant in the subscription's zone. Other values are returned unchanged. */
function day(this: FilterThis, value: unknown): unknown {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d/.test(value)) return value;
  const millis = Date.parse(value);
  if (Number.isNaN(millis)) return value;
  // A day has no zone.
  const zone = isDay(value) ? 'UTC' : getTemplateContext(this.context).timeZone;
  return dayFormatOf(zone).format(millis);
}

/** Liquid's `date`, but in the subscription's zone, and with 'now' as the time of the message. */
function zonedDate(date: FilterImplOptions | undefined): FilterImplOptions {
  const original = typeof date === 'function' ? date : date?.handler;
  return function (value: unknown, format: unknown, zone: unknown) {
    const { timeZone, at } = getTemplateContext(this.context);
    const moment = value === 'now' || value === 'today' ? at : value;
    return original?.call(this, moment, format, zone ?? (isDay(moment) ? 0 : timeZone));
  };
}

/** A value as a template shows it: '' if missing, the items of a list concatenated, an object as JSON. */
export function toDisplayText(value: unknown): string {
  const plain: unknown = toValue(value);
  if (plain === null || plain === undefined) return '';
  if (Array.isArray(plain)) return plain.map(toDisplayText).join('');
  return typeof plain === 'object' ? JSON.stringify(plain) : String(plain);
}
