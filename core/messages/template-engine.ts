/**
 * Liquid, shut in: no files, no prototypes, no clock, bounded time and size. Compiles and renders one text; what a text
 * is for, and what to send when it fails, is known elsewhere.
 */

import leven from 'leven';
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
import { errorMessage } from '../model/errors.ts';
import type { Value } from '../model/record.ts';
import type { Escaping, MarkupEscaping } from '../ports/channel.ts';
import { escapeHtml } from './escape.ts';
import {
  FILE_TAGS,
  registerFilters,
  setTemplateContext,
  type TemplateContext,
  toDisplayText,
} from './template-filters.ts';

export const TEMPLATE_LIMITS = {
  /** Characters of one template. */
  template: 65_536,
  /** Characters of what comes out of it. */
  output: 65_536,
  /** Milliseconds. Ordinary templates take less than one. */
  time: 50,
  /** Characters and list items made on the way, ranges included. */
  work: 1_000_000,
} as const;

export interface TextProblem {
  /** Where in the text, both from 1. @default - it is about the text as a whole */
  readonly line?: number;
  readonly column?: number;
  /** What was expected. */
  readonly message: string;
}

export interface CompiledText {
  readonly engine: Liquid;
  readonly escaping: Escaping;
  /** Empty when there are problems. */
  readonly parsed: readonly Parsed[];
  /** The names it uses that come from outside. */
  readonly names: ReadonlySet<string>;
  readonly problems: readonly TextProblem[];
}

const plainEngine = engineOf((value) => value);
const htmlEngine = engineOf((value) => escapeHtml(toDisplayText(value)));
const markupEngines = new Map<MarkupEscaping, Liquid>();

// Values that such a filter escaped are not escaped again.
markRaw(htmlEngine, 'escape');
markRaw(htmlEngine, 'escape_once');

function engineFor(escaping: Escaping): Liquid {
  if (escaping === 'plain') return plainEngine;
  if (escaping === 'html') return htmlEngine;
  const engine = markupEngines.get(escaping) ?? markupEngine(escaping);
  markupEngines.set(escaping, engine);
  return engine;
}

/** Has no `raw`: in chat, an unescaped title could ping everybody. */
function markupEngine({ name, escapeText }: MarkupEscaping): Liquid {
  const engine = engineOf((value) => escapeText(toDisplayText(value)));
  engine.unregisterFilter('raw');
  engine.registerFilter(name, { raw: true, handler: (value: unknown) => escapeText(toDisplayText(value)) });
  return engine;
}

function engineOf(guard: (value: unknown) => unknown): Liquid {
  const engine = new Liquid({
    strictFilters: true,
    strictVariables: false,
    ownPropertyOnly: true,
    // Should a tag ever ask for a file after all, it finds this empty shelf.
    templates: {},
    parseLimit: TEMPLATE_LIMITS.template,
    renderLimit: TEMPLATE_LIMITS.time,
    memoryLimit: TEMPLATE_LIMITS.work,
    timezoneOffset: 0,
    locale: 'en-GB',
    // Every output passes here, so here it is counted too: a capture that doubles itself ends early.
    outputEscape(this: { readonly context: Context }, value) {
      this.context.memoryLimit.use(sizeOf(value));
      const escaped: ReturnType<typeof toValue> = guard(value);
      return escaped;
    },
  });
  registerFilters(engine);
  return engine;
}

function markRaw(engine: Liquid, name: string): void {
  const filter = engine.filters[name];
  if (typeof filter === 'function') engine.registerFilter(name, { raw: true, handler: filter });
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return Array.isArray(value) ? value.reduce<number>((sum, item) => sum + sizeOf(item), value.length) : 16;
}

/** Never throws: what is wrong is part of the answer. `known`: the names a text may use, with those below them where they are fixed. */
export function compileText(
  text: string,
  escaping: Escaping,
  known: Readonly<Record<string, readonly string[] | undefined>>,
): CompiledText {
  const engine = engineFor(escaping);
  try {
    const parsed = engine.parse(text);
    const { globals } = engine.analyzeSync(parsed, { partials: false });
    const problems = Object.values(globals)
      .flat()
      .flatMap((variable) => checkName(variable, known));
    return {
      engine,
      escaping,
      parsed: problems.length > 0 ? [] : parsed,
      names: new Set(Object.keys(globals)),
      problems,
    };
  } catch (error) {
    return { engine, escaping, parsed: [], names: new Set(), problems: [toProblem(error, engine, escaping)] };
  }
}

type Variable = ReturnType<Liquid['analyzeSync']>['globals'][string][number];

function checkName(
  { segments: [root, child], location: { row, col } }: Variable,
  known: Readonly<Record<string, readonly string[] | undefined>>,
): readonly TextProblem[] {
  const at = { line: row, column: col };
  const name = String(root);
  if (!Object.hasOwn(known, name)) return [{ ...at, message: expected('a name there is', name, Object.keys(known)) }];
  const below = known[name];
  if (below === undefined || typeof child !== 'string' || [...below, 'size'].includes(child)) return [];
  const names = below.map((one) => `${name}.${one}`);
  return [{ ...at, message: expected('a name there is', `${name}.${child}`, names) }];
}

function expected(what: string, got: string, known: readonly string[]): string {
  const [nearest] = known.map((name) => ({ name, distance: leven(got, name) })).sort((a, b) => a.distance - b.distance);
  const close = nearest !== undefined && nearest.distance <= Math.max(2, got.length / 3);
  return `expected ${what}, got '${got}'; ${close ? `did you mean '${nearest.name}'?` : `there are ${known.join(', ')}`}`;
}

/** What Liquid found, in our words where it happens often. */
function toProblem(error: unknown, engine: Liquid, escaping: Escaping): TextProblem {
  if (!LiquidError.is(error)) return { message: inOurWords(errorMessage(error), engine, escaping) };
  const [line, column] = error.token.getPosition();
  const message = (error.originalError?.message ?? error.message).replace(/, (?:file:.*, )?line:\d+, col:\d+$/s, '');
  return {
    ...(line === undefined || column === undefined ? {} : { line, column }),
    message: inOurWords(message, engine, escaping),
  };
}

function inOurWords(message: string, engine: Liquid, escaping: Escaping): string {
  const { template, time, work } = TEMPLATE_LIMITS;
  const filter = /^undefined filter: (.*)$/s.exec(message)?.[1];
  if (filter === 'raw' && typeof escaping === 'object') {
    return "expected no 'raw' here: it would let a title ping the whole channel";
  }
  if (filter !== undefined) return expected('a filter there is', filter, Object.keys(engine.filters).sort());
  const tag = /^tag "(.*)" not found$/s.exec(message)?.[1];
  if (FILE_TAGS.some((name) => name === tag)) return `expected no '${tag}': a template cannot read other files`;
  if (tag !== undefined) return expected('a tag there is', tag, Object.keys(engine.tags).sort());
  if (message === 'parse length limit exceeded') return `expected at most ${number(template)} characters`;
  if (message === TOO_SLOW) return `expected to be done within ${time} ms`;
  if (message === 'memory alloc limit exceeded')
    return `expected at most ${number(work)} characters and list items in the making`;
  return message.startsWith('expected') ? message : `expected Liquid: ${message}`;
}

const TOO_SLOW = 'template render limit exceeded';

const number = (value: number) => value.toLocaleString('en');

/** Thrown by a rendering that failed. Never leaves the rooms of templates. */
export class TemplateFailure extends Error {
  override readonly name = 'TemplateFailure';
  readonly problem: TextProblem;
  readonly isSlow: boolean;

  constructor(problem: TextProblem, isSlow = false) {
    super(problem.message);
    this.problem = problem;
    this.isSlow = isSlow;
  }
}

/** One go at a message: all its texts together stay within the limits. */
export interface Rendering {
  /** The text, or TemplateFailure. */
  text(compiled: CompiledText, scope: object): string;
  /** As `text`, but what is one output and nothing else keeps its type. */
  value(compiled: CompiledText, scope: object): Value;
}

/**
 * Calls `render` with limits of its own. Once more where time ran out: that a machine paused is no fault of the template,
 * and all else that is bounded does not depend on the machine.
 */
export function renderWithinLimits<Result>(setting: TemplateContext, render: (rendering: Rendering) => Result): Result {
  try {
    return render(renderingOf(setting));
  } catch (error) {
    if (!(error instanceof TemplateFailure) || !error.isSlow) throw error;
    return render(renderingOf(setting));
  }
}

function renderingOf(setting: TemplateContext): Rendering {
  const { memoryLimit, renderLimit } = new Context({}, plainEngine.options);
  let left: number = TEMPLATE_LIMITS.output;
  const spend = (size: number) => {
    left -= size;
    if (left >= 0) return;
    throw new TemplateFailure({
      message: `expected at most ${number(TEMPLATE_LIMITS.output)} characters to come out of it`,
    });
  };
  const run = <Result>(compiled: CompiledText, scope: object, act: (context: Context) => Result): Result => {
    const { engine, problems } = compiled;
    if (problems[0] !== undefined) throw new TemplateFailure(problems[0]);
    const limits = { memoryLimit, renderLimit, liquid: engine };
    // A copy, because Liquid's increment writes into it.
    const context = new Context({ ...scope }, engine.options, { sync: true }, limits);
    setTemplateContext(context, setting);
    try {
      return act(context);
    } catch (error) {
      throw failureOf(error, compiled);
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
        let kept: unknown;
        const write = (value: unknown) => {
          kept = value;
        };
        toValueSync(compiled.engine.renderer.renderTemplates([only], context, { buffer: '', write }));
        const json = JSON.stringify(toValue(kept)) ?? 'null';
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

/** Liquid wraps what was thrown inside of it, once for each tag around. */
function failureOf(error: unknown, { engine, escaping }: CompiledText): TemplateFailure {
  const original = LiquidError.is(error) ? (error.originalError ?? error) : error;
  if (original instanceof TemplateFailure) return original;
  return new TemplateFailure(toProblem(error, engine, escaping), errorMessage(original).startsWith(TOO_SLOW));
}
