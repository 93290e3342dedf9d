/**
 * Renders a subscription's templates with an example of each event type it may get, so that a faulty template is reported
 * at the start and not at the first message. In steps, because the API serves others meanwhile. Sends nothing.
 */

import { threadCpuMillis } from '../../adapters/thread-cpu.ts';
import { eventTypes } from '../../core/events/catalogue.ts';
import type { CustomEvent } from '../../core/events/custom-events.ts';
import { customExample, exampleEvent } from '../../core/events/examples.ts';
import { compileGlob } from '../../core/filters/match.ts';
import { renderTemplate } from '../../core/messages/template.ts';
import { type CompiledTemplate, compileTemplate, type TemplateProblem } from '../../core/messages/template-compile.ts';
import { TEMPLATE_LIMITS } from '../../core/messages/template-engine.ts';
import type { ConfigProblem } from '../../core/model/errors.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import { isSameValue } from '../../core/model/json.ts';
import type { Steps } from '../../core/model/steps.ts';
import type { Template, TemplateShape } from '../../core/model/subscription.ts';
import type {
  ChannelTemplateParts,
  ChannelTraits,
  OutboundMessage,
  RenderedTemplate,
} from '../../core/ports/channel.ts';
import { pathText } from './problems.ts';

/** The parts of a custom event type that an example needs. */
type CustomType = Pick<CustomEvent, 'type' | 'meaning'>;

/** One example for each type that the globs match, custom types included. */
export function matchingExamples(globs: readonly string[], custom: readonly CustomType[]): readonly TidingsEvent[] {
  const matchers = globs.map(compileGlob);
  const isMatch = ({ type }: { readonly type: string }) => matchers.some((matches) => matches(type));
  return [
    ...eventTypes.filter(isMatch).map((eventType) => exampleEvent(eventType)),
    ...custom.filter(isMatch).map((one) => customExample(one)),
  ].filter((event) => event !== undefined);
}

export interface TemplateCheckOptions extends Pick<ChannelTraits, 'templateParts' | 'gathers'> {
  readonly events: readonly string[];
  readonly customEvents: readonly CustomType[];
}

/**
 * Checks the template as written, then with its variables expanded. Messages about the latter show no values.
 * @param written the template before variables were replaced
 */
export function* checkTemplate(
  template: unknown,
  written: unknown,
  { templateParts, gathers, events, customEvents }: TemplateCheckOptions,
): Steps<ConfigProblem[]> {
  const examples = matchingExamples(events, customEvents);
  const findProblems = (value: unknown) =>
    templateProblems(toTemplate(value, templateParts), templateParts, gathers, examples);
  const writtenProblems = yield* findProblems(written);
  const hidden =
    'expected a template that is valid after its variables are replaced, got a value that is not shown here';
  const isSame = isSameValue(written, template);
  const problems =
    writtenProblems.length > 0 || isSame
      ? writtenProblems
      : (yield* findProblems(template)).map(({ path }) => ({ path, message: hidden }));
  return problems.map((problem) => ({ path: pathText(['template', ...problem.path]), message: problem.message }));
}

/** Of CPU time. Ordinary templates take a millisecond for each type; the rest allows for a slow machine. */
const MAX_CHECK_MS = 1_000;

/** Renderings of a template that took long without computing: the machine was busy. */
const MAX_RETRIES = 20;

/** Problems independent of the event; if there are none, problems with an example. One problem per path. Yields after each example. */
function* templateProblems(
  template: Template,
  parts: ChannelTemplateParts,
  gathers: boolean,
  examples: readonly TidingsEvent[],
): Steps<readonly TemplateProblem[]> {
  let took = 0;
  let from = threadCpuMillis();
  const compiled = compileTemplate(template, parts);
  if (compiled.problems.length > 0) return compiled.problems;
  const alone: TemplateProblem[] = [];
  for (const event of examples) {
    const { problems, isSlow } = findRenderProblems(compiled, [event], `of the example of ${event.type}`);
    alone.push(...problems);
    took += threadCpuMillis() - from;
    // It is refused anyway: the other examples would take as long again.
    if (isSlow || (alone.length > 0 && took > TEMPLATE_LIMITS.time)) break;
    if (took > MAX_CHECK_MS) {
      const what = `the ${examples.length} event types of the subscription`;
      alone.push({ path: [], message: `expected to render within ${MAX_CHECK_MS} ms for ${what} together` });
      break;
    }
    yield;
    from = threadCpuMillis();
  }
  // Each event gets its own version, because events of one transition are merged.
  const [first, ...rest] = examples.map((event, version) => ({ ...event, data: { ...event.data, version } }));
  const together =
    alone.length > 0 || !gathers || first === undefined || rest.length === 0
      ? []
      : findRenderProblems(compiled, [first, ...rest], `of ${examples.length} events together`).problems;
  return [
    ...new Map([...together, ...alone].toReversed().map((problem) => [pathText(problem.path), problem])).values(),
  ].toReversed();
}

function findRenderProblems(
  compiled: CompiledTemplate,
  events: OutboundMessage['events'],
  what: string,
): Pick<RenderedTemplate, 'problems' | 'isSlow'> {
  const render = (): RenderedTemplate =>
    renderTemplate(
      compiled,
      { events, timeZone: 'UTC', at: events[0].time },
      // Only the problems are read, never the HTML.
      { links: {}, sanitizeHtml: (html) => html },
    );
  const begun = threadCpuMillis();
  let { problems, isSlow } = render();
  // The limit is wall time: a service must also start on a machine that has no time for it.
  for (let retry = 0; isSlow && threadCpuMillis() - begun < TEMPLATE_LIMITS.time && retry < MAX_RETRIES; retry++)
    ({ problems, isSlow } = render());
  return { problems: problems.map(({ path, message }) => ({ path, message: `${message} (${what})` })), isSlow };
}

/** The parts that the channel supports and that have the right type; others are reported elsewhere. */
function toTemplate(value: unknown, parts: ChannelTemplateParts): Template {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter(
      ([name, text]) =>
        Object.hasOwn(parts, name) && (parts[name]?.form === 'json' ? isShape(text) : typeof text === 'string'),
    ),
  );
}

function isShape(value: unknown): value is TemplateShape {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return true;
  return typeof value === 'object' && Object.values(value).every(isShape);
}
