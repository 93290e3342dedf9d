/**
 * A sandboxed Liquid engine: no files, no prototypes, no clock, limited time and size. Compiles and renders one text;
 * callers decide what to send when it fails.
 */

import {
  Context,
  type Emitter,
  Liquid,
  LiquidError,
  Output,
  type Template as Parsed,
  toValue,
  toValueSync,
} from 'liquidjs';
import { suggestWord } from '../filters/nearest-word.ts';
import { errorMessage } from '../model/errors.ts';
import type { Value } from '../model/record.ts';
import type { Escaping, MarkupEscaping } from '../ports/channel.ts';
import { endAfter, TookTooLong } from './end-after.ts';
import { escapeHtml } from './escape.ts';
import { TemplateFailure, type TextProblem } from './template-failure.ts';
import {
  FILE_TAGS,
  registerFilters,
  setTemplateContext,
  type TemplateContext,
  toDisplayText,
} from './template-filters.ts';
import { findPositionsFast } from './template-positions.ts';
import { BOUND_OPERATORS, boundFilters, weightOf } from './template-sizes.ts';

export const TEMPLATE_LIMITS = {
  /** Characters of one template, in all its texts. */
  template: 65_536,
  /** Characters of the output. */
  output: 65_536,
  /** Milliseconds of wall time. Ordinary templates take less than one; the rest allows for a busy machine. */
  time: 250,
  /** Characters and list items that are allocated during rendering. */
  work: 1_000_000,
} as const;

export interface CompiledText {
  readonly engine: Liquid;
  readonly escaping: Escaping;
  readonly source: string;
  /** Empty if there are problems. */
  readonly parsed: readonly Parsed[];
  /** The global names that it uses. */
  readonly names: ReadonlySet<string>;
  readonly problems: readonly TextProblem[];
}

findPositionsFast();
const plainEngine = createEngine((value) => value);
const htmlEngine = createEngine((value) => escapeHtml(toDisplayText(value)));
const markupEngines = new Map<MarkupEscaping, Liquid>();

// The output of these filters is not escaped again.
markRaw(htmlEngine, 'escape');
markRaw(htmlEngine, 'escape_once');

function engineFor(escaping: Escaping): Liquid {
  if (escaping === 'plain') return plainEngine;
  if (escaping === 'html') return htmlEngine;
  const engine = markupEngines.get(escaping) ?? createMarkupEngine(escaping);
  markupEngines.set(escaping, engine);
  return engine;
}

/** Has no `raw` filter: in chat, an unescaped title could notify the whole channel. */
function createMarkupEngine({ name, escapeText }: MarkupEscaping): Liquid {
  const engine = createEngine((value) => escapeText(toDisplayText(value)));
  engine.unregisterFilter('raw');
  engine.registerFilter(name, { raw: true, handler: (value: unknown) => escapeText(toDisplayText(value)) });
  return engine;
}

function createEngine(escapeOutput: (value: unknown) => unknown): Liquid {
  const engine = new Liquid({
    strictFilters: true,
    strictVariables: false,
    ownPropertyOnly: true,
    // Makes any attempt to load a file fail.
    templates: {},
    renderLimit: TEMPLATE_LIMITS.time,
    memoryLimit: TEMPLATE_LIMITS.work,
    operators: BOUND_OPERATORS,
    timezoneOffset: 0,
    locale: 'en-GB',
    // Called for every output, so the memory limit is enforced here: a capture that doubles itself fails early.
    outputEscape(this: { readonly context: Context }, value) {
      this.context.memoryLimit.use(weightOf(value));
      const escaped: ReturnType<typeof toValue> = escapeOutput(value);
      return escaped;
    },
  });
  registerFilters(engine);
  boundFilters(engine);
  return engine;
}

function markRaw(engine: Liquid, name: string): void {
  const filter = engine.filters[name];
  if (typeof filter === 'function') engine.registerFilter(name, { raw: true, handler: filter });
}

/**
 * Does not throw: the result contains the problems.
 * @param variables the names that a text may use, each with its members; undefined for arbitrary members.
 */
export function compileText(
  text: string,
  escaping: Escaping,
  variables: Readonly<Record<string, readonly string[] | undefined>>,
): CompiledText {
  const engine = engineFor(escaping);
  try {
    const parsed = engine.parse(text);
    const { globals } = engine.analyzeSync(parsed, { partials: false });
    const problems = Object.values(globals)
      .flat()
      .flatMap((variable) => checkName(variable, variables));
    return {
      engine,
      escaping,
      source: text,
      parsed: problems.length > 0 ? [] : parsed,
      names: new Set(Object.keys(globals)),
      problems,
    };
  } catch (error) {
    return {
      engine,
      escaping,
      source: text,
      parsed: [],
      names: new Set(),
      problems: [toProblem(error, engine, escaping)],
    };
  }
}

type Variable = ReturnType<Liquid['analyzeSync']>['globals'][string][number];

function checkName(
  { segments: [root, child], location: { row, col } }: Variable,
  variables: Readonly<Record<string, readonly string[] | undefined>>,
): readonly TextProblem[] {
  const at = { line: row, column: col };
  const name = String(root);
  if (!Object.hasOwn(variables, name))
    return [{ ...at, message: describeUnknown('name', name, Object.keys(variables)) }];
  const members = variables[name];
  if (members === undefined || typeof child !== 'string' || [...members, 'size'].includes(child)) return [];
  const names = members.map((member) => `${name}.${member}`);
  return [{ ...at, message: describeUnknown('name', `${name}.${child}`, names) }];
}

function describeUnknown(kind: 'name' | 'filter' | 'tag', got: string, expected: readonly string[]): string {
  return `unknown ${kind} '${got}', ${suggestWord(got, expected)}`;
}

function toProblem(error: unknown, engine: Liquid, escaping: Escaping): TextProblem {
  if (!LiquidError.is(error)) return { message: clarifyMessage(errorMessage(error), engine, escaping) };
  const [line, column] = error.token.getPosition();
  const message = (error.originalError?.message ?? error.message).replace(/, line:\d+, col:\d+$/, '');
  return {
    ...(line === undefined || column === undefined ? {} : { line, column }),
    message: clarifyMessage(message, engine, escaping),
  };
}

/** Replaces Liquid's frequent errors by messages that say what to change. */
function clarifyMessage(message: string, engine: Liquid, escaping: Escaping): string {
  const { work } = TEMPLATE_LIMITS;
  const filter = /^undefined filter: (.*)$/s.exec(message)?.[1];
  if (filter === 'raw' && typeof escaping === 'object') {
    return "the filter 'raw' is not allowed here: an unescaped title could notify the whole channel";
  }
  if (filter !== undefined) return describeUnknown('filter', filter, Object.keys(engine.filters).sort());
  const tag = /^tag "(.*)" not found$/s.exec(message)?.[1];
  if (FILE_TAGS.some((name) => name === tag)) return `the tag '${tag}' is not allowed: a template cannot read files`;
  if (tag !== undefined) return describeUnknown('tag', tag, Object.keys(engine.tags).sort());
  if (message === TOO_SLOW) return SLOW;
  if (message === 'memory alloc limit exceeded')
    return `expected at most ${number(work)} characters and list items during rendering`;
  return message.startsWith('expected') ? message : `invalid Liquid: ${message}`;
}

const TOO_SLOW = 'template render limit exceeded';
const SLOW = `expected to render within ${TEMPLATE_LIMITS.time} ms`;

const number = (value: number) => value.toLocaleString('en');

/** Renders the texts of one message, which share the limits. Both methods throw TemplateFailure. */
export interface Rendering {
  text(compiled: CompiledText, scope: object): string;
  /** Like `text`, but a template that is a single output, such as `{{ record.total }}`, keeps the type of its value. */
  value(compiled: CompiledText, scope: object): Value;
}

/** Calls `render` with new limits. Retries once after a timeout, because the machine may have paused. */
export function renderWithinLimits<Result>(setting: TemplateContext, render: (rendering: Rendering) => Result): Result {
  try {
    return renderOnce(setting, render);
  } catch (error) {
    if (!(error instanceof TemplateFailure) || !error.isSlow) throw error;
    return renderOnce(setting, render);
  }
}

/** Liquid looks at the time between two tags: one that takes long by itself, such as a comparison of long lists, is ended. */
function renderOnce<Result>(setting: TemplateContext, render: (rendering: Rendering) => Result): Result {
  try {
    return endAfter(2 * TEMPLATE_LIMITS.time, () => render(createRendering(setting)));
  } catch (error) {
    if (!(error instanceof TookTooLong)) throw error;
    throw new TemplateFailure({ message: SLOW }, true);
  }
}

function createRendering(setting: TemplateContext): Rendering {
  const { memoryLimit, renderLimit } = new Context({}, plainEngine.options);
  let left: number = TEMPLATE_LIMITS.output;
  const spend = (size: number) => {
    left -= size;
    if (left >= 0) return;
    throw new TemplateFailure({
      message: `expected at most ${number(TEMPLATE_LIMITS.output)} characters of output`,
    });
  };
  const run = <Result>(compiled: CompiledText, scope: object, act: (context: Context) => Result): Result => {
    const { engine, problems } = compiled;
    if (problems[0] !== undefined) throw new TemplateFailure(problems[0]);
    const limits = { memoryLimit, renderLimit, liquid: engine };
    // A copy, because Liquid's `increment` modifies the scope.
    const context = new Context({ ...scope }, engine.options, { sync: true }, limits);
    setTemplateContext(context, setting);
    try {
      return act(context);
    } catch (error) {
      throw toFailure(error, compiled);
    }
  };
  const text: Rendering['text'] = (compiled, scope) =>
    run(compiled, scope, (context) => {
      const emitter = countingEmitter(spend);
      toValueSync(compiled.engine.renderer.renderTemplates([...compiled.parsed], context, emitter));
      return emitter.buffer;
    });
  return {
    text,
    value(compiled, scope) {
      const [only, ...more] = compiled.parsed;
      if (!(only instanceof Output) || more.length > 0) return text(compiled, scope);
      return run(compiled, scope, (context) => {
        let output: unknown;
        const write = (value: unknown) => {
          output = value;
        };
        toValueSync(compiled.engine.renderer.renderTemplates([only], context, { buffer: '', write }));
        const json = JSON.stringify(toValue(output)) ?? 'null';
        spend(json.length);
        return JSON.parse(json);
      });
    },
  };
}

function countingEmitter(spend: (size: number) => void): Emitter {
  return {
    buffer: '',
    write(value: unknown) {
      const text = toDisplayText(value);
      spend(text.length);
      this.buffer += text;
    },
  };
}

/** Liquid wraps an error once for each enclosing tag. */
function toFailure(error: unknown, { engine, escaping }: CompiledText): TemplateFailure {
  const original = LiquidError.is(error) ? (error.originalError ?? error) : error;
  if (original instanceof TemplateFailure) return original;
  return new TemplateFailure(toProblem(error, engine, escaping), errorMessage(original).startsWith(TOO_SLOW));
}
