/**
 * Renders the templates of a subscription. Does not throw: a part that fails is omitted with the reason, and the channel
 * uses its default for that part.
 */

import { errorMessage } from '../model/errors.ts';
import { isSameValue } from '../model/json.ts';
import type { Value } from '../model/record.ts';
import type { Template } from '../model/subscription.ts';
import { type Instant, MINUTE, plus } from '../model/time.ts';
import type { ChannelTemplateParts, OutboundMessage, RenderedTemplate, TemplatePart } from '../ports/channel.ts';
import { groupByChange } from './change-events.ts';
import { clip } from './clip.ts';
import type { Links } from './link.ts';
import {
  type CompiledShape,
  type CompiledTemplate,
  compileTemplate,
  type TemplatePath,
  type TemplateProblem,
  templateProblemAt,
} from './template-compile.ts';
import { type CompiledText, type Rendering, renderWithinLimits, TEMPLATE_LIMITS } from './template-engine.ts';
import { TemplateFailure } from './template-failure.ts';
import { eventScope, MESSAGE_NAMES, messageScope } from './template-scope.ts';

export interface RenderTemplateOptions {
  readonly links: Links;
  /** Sanitizes HTML. @default - HTML parts of a template are not rendered */
  readonly sanitizeHtml?: (html: string) => string;
}

export interface TemplateChannelOptions {
  /** The template parts of the subscription's channel. */
  readonly parts: ChannelTemplateParts;
}

/** The maximum number of listed events, as in the default summary. */
const MAX_LINES = 30;

/** By their text: a store may return the same template as another object each time. The one that was used last is at the end. */
const cache = new Map<string, CompiledTemplate>();

/** Characters of the templates in the cache. Compiled they take a hundred times as much: 50 MB. */
const MAX_CACHED = 500_000;
let cached = 0;

function compileOnce(template: Template, parts: ChannelTemplateParts): CompiledTemplate {
  const text = JSON.stringify(template);
  const known = cache.get(text);
  const compiled = known?.parts === parts ? known : compileTemplate(template, parts);
  if (cache.delete(text)) cached -= text.length;
  cache.set(text, compiled);
  cached += text.length;
  for (const oldest of cache.keys()) {
    if (cached <= MAX_CACHED) break;
    cache.delete(oldest);
    cached -= oldest.length;
  }
  return compiled;
}

/** For how long a template that took longer than the limit is not rendered again: it holds up every other delivery. */
const SLOW_PAUSE = 10 * MINUTE;
const MAX_SLOW = 10_000;

/** Templates that took too long, by subscription. In this process only: another one learns it by itself. */
const slowTemplates = new Map<string, { readonly template: Template; readonly until: Instant }>();

/** Undefined if the subscription has no template. Caches compiled templates. A slow one is left out for ten minutes. */
export function compileAndRender(
  outbound: OutboundMessage,
  options: RenderTemplateOptions & TemplateChannelOptions,
): RenderedTemplate | undefined {
  const { at, subscription } = outbound;
  const { name, template } = subscription;
  if (template === undefined) return undefined;
  const slow = slowTemplates.get(name);
  if (slow !== undefined && at < slow.until && isSameValue(slow.template, template)) {
    const problem = `template: it took longer than ${TEMPLATE_LIMITS.time} ms, and is tried again after ${slow.until}`;
    return { texts: {}, values: {}, problem, problems: [], isSlow: true, isUnjudged: true };
  }
  const rendered = renderTemplate(compileOnce(template, options.parts), outbound, options);
  slowTemplates.delete(name);
  // The oldest first: a subscription with many must not cause those of others to be rendered again.
  const [oldest] = slowTemplates.keys();
  if (slowTemplates.size >= MAX_SLOW && oldest !== undefined) slowTemplates.delete(oldest);
  if (rendered.isSlow) slowTemplates.set(name, { template, until: plus(at, SLOW_PAUSE) });
  return rendered;
}

export function renderTemplate(
  { parts, ...compiled }: CompiledTemplate,
  { events, timeZone, at }: Pick<OutboundMessage, 'events' | 'timeZone' | 'at'>,
  { links, sanitizeHtml }: RenderTemplateOptions,
): RenderedTemplate {
  const scopeOptions = { timeZone, links };
  const changes = groupByChange(events);
  const problems: TemplateProblem[] = [];
  let isSlow = false;
  const attempt = <Part>(path: TemplatePath, render: (rendering: Rendering) => Part): Part | undefined => {
    if (isSlow) return undefined;
    try {
      return renderWithinLimits({ timeZone, at }, render);
    } catch (error) {
      problems.push(toProblem(path, error));
      isSlow = error instanceof TemplateFailure && error.isSlow;
      return undefined;
    }
  };
  const texts: Record<string, string> = {};
  for (const [name, text] of Object.entries(compiled.texts)) {
    const part = parts[name];
    const finish = part === undefined ? undefined : finishText(part, sanitizeHtml);
    // A line about a single event does not fit several: the default line counts them.
    const isUnfit = part?.form === 'line' && changes.length > 1 && !isAboutAll(text);
    if (part === undefined || finish === undefined || isUnfit) continue;
    const rendered = attempt([name], (rendering) =>
      assertNotEmpty(finish(renderEvents(rendering, text, events, scopeOptions, part))),
    );
    if (rendered !== undefined) texts[name] = rendered;
  }
  const values: Record<string, Value> = {};
  for (const [name, shape] of Object.entries(compiled.values)) {
    const filled = attempt([name], (rendering) => fillShape(shape, rendering, messageScope(events, scopeOptions)));
    if (filled !== undefined) values[name] = filled;
  }
  const problem = problems.length === 0 ? undefined : problems.map(formatProblem).join('; ');
  return { texts, values, problem, problems, isSlow };
}

/** Turns the output of a template into the part; undefined if the part cannot be rendered here. */
function finishText(
  { form, maxLength }: TemplatePart,
  sanitizeHtml: RenderTemplateOptions['sanitizeHtml'],
): ((raw: string) => string) | undefined {
  if (form === 'line') return (raw) => clip(raw, maxLength ?? raw.length);
  if (form === 'html') return sanitizeHtml && ((raw) => sanitizeHtml(removeInvisible(raw)));
  return (raw) => cutMarkup(removeInvisible(raw), maxLength);
}

function isAboutAll(compiled: CompiledText): boolean {
  return MESSAGE_NAMES.some((name) => compiled.names.has(name));
}

/**
 * Renders the text once if it is about all events, and otherwise once for each change, with its heaviest event. Changes
 * that do not fit are counted instead.
 */
function renderEvents(
  rendering: Rendering,
  compiled: CompiledText,
  events: OutboundMessage['events'],
  options: Parameters<typeof eventScope>[1],
  { separator, maxLength = Number.POSITIVE_INFINITY }: Pick<TemplatePart, 'separator' | 'maxLength'>,
): string {
  if (isAboutAll(compiled)) return rendering.text(compiled, messageScope(events, options));
  const changes = groupByChange(events);
  const each = changes
    .slice(0, MAX_LINES)
    .map(([lead, ...others]) => rendering.text(compiled, eventScope(lead, options, others)).trim());
  const texts = each.filter((text) => text !== '');
  let length = 0;
  const isBeyond = (text: string) => {
    length += text.length + separator.length;
    return length > maxLength - MORE_LENGTH;
  };
  const end = texts.findIndex(isBeyond);
  // A single text that is too long is cut later, with a sign of its own.
  const kept = end === -1 ? texts : texts.slice(0, Math.max(1, end));
  const more = changes.length - each.length + texts.length - kept.length;
  return [...kept, ...(more > 0 ? [`… and ${more} more`] : [])].join(separator);
}

/** Room for the number of events that are not listed. */
const MORE_LENGTH = 30;

function fillShape(shape: CompiledShape, rendering: Rendering, scope: object): Value {
  if (typeof shape !== 'object' || shape === null) return shape;
  if ('list' in shape) return shape.list.map((item) => fillShape(item, rendering, scope));
  if ('section' in shape) {
    return Object.fromEntries(shape.section.map(([key, item]) => [key, fillShape(item, rendering, scope)]));
  }
  try {
    return rendering.value(shape.text, scope);
  } catch (error) {
    throw new ShapeFailure(shape.path, error);
  }
}

/** A failure with its path in the shape. */
class ShapeFailure extends TemplateFailure {
  readonly path: TemplatePath;

  constructor(path: TemplatePath, error: unknown) {
    if (error instanceof TemplateFailure) super(error.problem, error.isSlow);
    else super({ message: errorMessage(error) });
    this.path = path;
  }
}

function toProblem(path: TemplatePath, error: unknown): TemplateProblem {
  if (error instanceof ShapeFailure) return templateProblemAt(error.path, error.problem);
  return templateProblemAt(path, error instanceof TemplateFailure ? error.problem : { message: errorMessage(error) });
}

const formatProblem = ({ path, message }: TemplateProblem) => `template.${path.join('.')}: ${message}`;

/** Chats reject an empty message. */
function assertNotEmpty(text: string): string {
  if (text !== '') return text;
  throw new TemplateFailure({ message: 'expected some output, got an empty text' });
}

/** Removes control characters and bidirectional marks, and trims the text. */
function removeInvisible(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/(?![\n\t])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, '')
    .trim();
}

/** Cuts before an escape sequence or a link that would be incomplete. */
function cutMarkup(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  if (text.length <= maxLength) return text;
  const cut = text.slice(0, maxLength - 1).replace(/(?:&[a-z]{0,4}|<[^<>]*)$/, '');
  return `${cut.toWellFormed().trimEnd()}…`;
}
