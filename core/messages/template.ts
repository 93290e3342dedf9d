/**
 * Renders a subscription's own templates. Never throws: a part that fails is left out with the reason, and the channel
 * uses its default for that part.
 */

import { errorMessage } from '../model/errors.ts';
import type { Value } from '../model/record.ts';
import type { Template } from '../model/subscription.ts';
import type { ChannelTemplateParts, OutboundMessage } from '../ports/channel.ts';
import { clip } from './clip.ts';
import type { Links } from './link.ts';
import { onePerTransition } from './summary.ts';
import {
  type CompiledShape,
  type CompiledTemplate,
  compileTemplate,
  problemAt,
  type TemplatePath,
  type TemplateProblem,
} from './template-compile.ts';
import { type CompiledText, type Rendering, renderWithinLimits, TemplateFailure } from './template-engine.ts';
import { eventScope, MESSAGE_NAMES, messageScope } from './template-scope.ts';

/** What the templates say. A part that is not there, or failed, is for the channel to say in our own words. */
export interface RenderedTemplate {
  /** In Slack's own markup, or the plain text of a mail. */
  readonly text?: string;
  /** One line of at most 150 characters. */
  readonly subject?: string;
  /** A piece of HTML, without anything in it that does something. */
  readonly html?: string;
  /** To be sent as JSON. */
  readonly body?: Value;
  /** Why a part is missing, for a log: `template.text: line 1, column 4: expected …`. @default - nothing went wrong */
  readonly problem?: string;
  readonly problems: readonly TemplateProblem[];
}

export interface RenderTemplateOptions {
  readonly links: Links;
  /** Removes from HTML whatever could run, load or break out of a mail. @default - the `html` of a template is not rendered */
  readonly sanitizeHtml?: (html: string) => string;
}

export interface TemplateChannelOptions {
  /** Those of the subscription's channel. */
  readonly parts: ChannelTemplateParts;
}

/** Events that are listed one by one: as many as in the default summary. */
const MAX_LINES = 30;

const known = new WeakMap<Template, CompiledTemplate>();

/** Undefined where the subscription has no template. Each template is compiled once, as long as it is referenced. */
export function compileAndRender(
  outbound: OutboundMessage,
  options: RenderTemplateOptions & TemplateChannelOptions,
): RenderedTemplate | undefined {
  const { template } = outbound.subscription;
  if (template === undefined) return undefined;
  const { parts } = options;
  const found = known.get(template);
  const compiled = found?.parts === parts ? found : compileTemplate(template, parts);
  known.set(template, compiled);
  return renderTemplate(compiled, outbound, options);
}

export function renderTemplate(
  { parts, text, subject, html, body }: CompiledTemplate,
  { events, timeZone, at }: Pick<OutboundMessage, 'events' | 'timeZone' | 'at'>,
  { links, sanitizeHtml }: RenderTemplateOptions,
): RenderedTemplate {
  const asked = { timeZone, links };
  const shown = eventsToShow(events);
  const problems: TemplateProblem[] = [];
  const attempt = <Part>(path: TemplatePath, render: (rendering: Rendering) => Part): Part | undefined => {
    try {
      return renderWithinLimits({ timeZone, at }, render);
    } catch (error) {
      problems.push(failedAt(path, error));
      return undefined;
    }
  };
  const say = (
    part: 'text' | 'subject' | 'html',
    compiled: CompiledText | undefined,
    finish: (text: string) => string,
  ) => {
    const between = parts[part]?.separator ?? '\n';
    return (
      compiled && attempt([part], (rendering) => filled(finish(inWords(rendering, compiled, shown, asked, between))))
    );
  };
  const saidText = say('text', text, (words) => cutMarkup(tidy(words), parts.text?.maxLength));
  // A subject about one event cannot stand over several: ours counts them.
  const fitting = shown.length > 1 && !isOfAll(subject) ? undefined : subject;
  const saidSubject = say('subject', fitting, (words) => clip(words, parts.subject?.maxLength ?? words.length));
  const saidHtml = sanitizeHtml && say('html', html, (words) => sanitizeHtml?.(tidy(words)) ?? '');
  const filledBody =
    body === undefined
      ? body
      : attempt(['body'], (rendering) => fillShape(body, rendering, messageScope(shown, asked)));
  return {
    ...(saidText === undefined ? {} : { text: saidText }),
    ...(saidSubject === undefined ? {} : { subject: saidSubject }),
    ...(saidHtml === undefined ? {} : { html: saidHtml }),
    ...(filledBody === undefined ? {} : { body: filledBody }),
    ...(problems.length === 0 ? {} : { problem: problems.map(sayProblem).join('; ') }),
    problems,
  };
}

/** One event per transition, as in the default summary. */
function eventsToShow(events: OutboundMessage['events']): OutboundMessage['events'] {
  const [first = events[0], ...rest] = onePerTransition(events);
  return [first, ...rest];
}

function isOfAll(compiled: CompiledText | undefined): boolean {
  return MESSAGE_NAMES.some((name) => compiled?.names.has(name));
}

/** Of all events where the text names them; else of each, one after the other, so that none is left untold. */
function inWords(
  rendering: Rendering,
  compiled: CompiledText,
  events: OutboundMessage['events'],
  asked: Parameters<typeof eventScope>[1],
  between: string,
): string {
  if (isOfAll(compiled)) return rendering.text(compiled, messageScope(events, asked));
  const each = events.slice(0, MAX_LINES).map((event) => rendering.text(compiled, eventScope(event, asked)).trim());
  const more = events.length - each.length;
  return [...each.filter((one) => one !== ''), ...(more > 0 ? [`… and ${more} more`] : [])].join(between);
}

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

/** Says where in a shape it failed. */
class ShapeFailure extends TemplateFailure {
  readonly path: TemplatePath;

  constructor(path: TemplatePath, error: unknown) {
    if (error instanceof TemplateFailure) super(error.problem, error.isSlow);
    else super({ message: errorMessage(error) });
    this.path = path;
  }
}

function failedAt(path: TemplatePath, error: unknown): TemplateProblem {
  if (error instanceof ShapeFailure) return problemAt(error.path, error.problem);
  return problemAt(path, error instanceof TemplateFailure ? error.problem : { message: errorMessage(error) });
}

const sayProblem = ({ path, message }: TemplateProblem) => `template.${path.join('.')}: ${message}`;

/** Slack rejects an empty message. */
function filled(text: string): string {
  if (text !== '') return text;
  throw new TemplateFailure({ message: 'expected something to come out of it, got nothing' });
}

/** Without characters that cannot be seen but change what is: control characters, and marks that turn the direction. */
function tidy(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/(?![\n\t])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, '')
    .trim();
}

/** Cut before an escape or a link that would be left open. */
function cutMarkup(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  if (text.length <= maxLength) return text;
  const cut = text.slice(0, maxLength - 1).replace(/(?:&[a-z]{0,4}|<[^<>]*)$/, '');
  return `${cut.toWellFormed().trimEnd()}…`;
}
