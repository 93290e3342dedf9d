/**
 * Tries a subscription's templates on an example of each event type it may get: what would fail at the first message is
 * found at the start. Sends nothing.
 */

import { channelRegistry } from '../../adapters/channels/registry.ts';
import { eventTypes } from '../../core/events/catalogue.ts';
import type { CustomEvent } from '../../core/events/custom-events.ts';
import { customExample, exampleEvent } from '../../core/events/examples.ts';
import { type RenderedTemplate, renderTemplate } from '../../core/messages/template.ts';
import { type CompiledTemplate, compileTemplate, type TemplateProblem } from '../../core/messages/template-compile.ts';
import type { ConfigProblem } from '../../core/model/errors.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import type { Template, TemplateShape } from '../../core/model/subscription.ts';
import { type ChannelTemplateParts, type OutboundMessage, traitsOf } from '../../core/ports/channel.ts';
import { compileGlob } from '../../core/subscriptions/match.ts';
import { type Path, pathText, valueAt } from './problems.ts';

/** What there is to know of a type of the config's own. */
type CustomType = Pick<CustomEvent, 'type' | 'meaning'>;

/** One for each type that the globs match, custom ones included. */
export function matchingExamples(globs: readonly string[], custom: readonly CustomType[]): readonly TidingsEvent[] {
  const wanted = globs.map(compileGlob);
  const isWanted = ({ type }: { readonly type: string }) => wanted.some((matches) => matches(type));
  return [
    ...eventTypes.filter(isWanted).map((eventType) => exampleEvent(eventType)),
    ...custom.filter(isWanted).map((one) => customExample(one)),
  ].filter((event) => event !== undefined);
}

export interface Tried {
  readonly template: unknown;
  readonly channel: string;
  readonly events: readonly string[];
  readonly custom: readonly CustomType[];
}

/** Looks at the template as the file has it, then with the environment in place, whose values are never shown. */
export function checkTemplate(tried: Tried, raw: unknown, path: Path): ConfigProblem[] {
  if (tried.template === undefined) return [];
  const examples = matchingExamples(tried.events, tried.custom);
  const { templateParts, gathers } = traitsOf(channelRegistry, { channel: tried.channel });
  const find = (template: unknown) =>
    templateProblems(toTemplate(template, templateParts), templateParts, gathers, examples);
  const asWritten = valueAt(raw, path);
  const written = find(asWritten);
  const hidden =
    'expected a template that is good once the environment is in place, got a value that is not shown here';
  const isSame = JSON.stringify(asWritten) === JSON.stringify(tried.template);
  const problems =
    written.length > 0 || isSame ? written : find(tried.template).map(({ path }) => ({ path, message: hidden }));
  return problems.map((problem) => ({ path: pathText([...path, ...problem.path]), message: problem.message }));
}

/** What is wrong whatever the event; if nothing, what goes wrong with an example. Each place is named once. */
function templateProblems(
  template: Template,
  parts: ChannelTemplateParts,
  gathers: boolean,
  examples: readonly TidingsEvent[],
): readonly TemplateProblem[] {
  const compiled = compileTemplate(template, parts);
  if (compiled.problems.length > 0) return compiled.problems;
  const alone = examples.flatMap((event) => tryOn(compiled, [event], `of the example of ${event.type}`));
  // Each with its own version: events of one transition are merged.
  const [first, ...rest] = examples.map((event, version) => ({ ...event, data: { ...event.data, version } }));
  const together =
    alone.length > 0 || !gathers || first === undefined || rest.length === 0
      ? []
      : tryOn(compiled, [first, ...rest], `of ${examples.length} events together`);
  return [
    ...new Map([...together, ...alone].toReversed().map((problem) => [pathText(problem.path), problem])).values(),
  ].toReversed();
}

function tryOn(
  compiled: CompiledTemplate,
  events: OutboundMessage['events'],
  what: string,
): readonly TemplateProblem[] {
  const { problems }: RenderedTemplate = renderTemplate(
    compiled,
    { events, timeZone: 'UTC', at: events[0].time },
    // Only the problems are read, never the HTML.
    { links: {}, sanitizeHtml: (html) => html },
  );
  return problems.map(({ path, message }) => ({ path, message: `${message} (${what})` }));
}

/** The parts that the channel supports and that have the right type; others are reported elsewhere. */
function toTemplate(value: unknown, parts: ChannelTemplateParts): Template {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter(
      ([part, text]) => part in parts && (part === 'body' ? isShape(text) : typeof text === 'string'),
    ),
  );
}

function isShape(value: unknown): value is TemplateShape {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return true;
  return typeof value === 'object' && Object.values(value).every(isShape);
}
