/** Compiles the templates of a subscription, each with the escaping of its part. Does not render. */

import type { Template, TemplateShape } from '../model/subscription.ts';
import type { ChannelTemplateParts, Escaping } from '../ports/channel.ts';
import { type CompiledText, compileText, TEMPLATE_LIMITS } from './template-engine.ts';
import type { TextProblem } from './template-failure.ts';
import { TEMPLATE_NAMES } from './template-scope.ts';

/** A path in a template: `['body', 'lines', 0]`. */
export type TemplatePath = readonly (string | number)[];

export interface TemplateProblem {
  readonly path: TemplatePath;
  /** `line 2, column 5: expected …` */
  readonly message: string;
}

/** A JSON value whose strings are templates. */
export type CompiledShape =
  | number
  | boolean
  | null
  | { readonly text: CompiledText; readonly path: TemplatePath }
  | { readonly list: readonly CompiledShape[] }
  | { readonly section: readonly (readonly [key: string, shape: CompiledShape])[] };

export interface CompiledTemplate {
  /** The parts of the channel that it was compiled for. */
  readonly parts: ChannelTemplateParts;
  /** The parts that are texts, by name. */
  readonly texts: Readonly<Record<string, CompiledText>>;
  /** The parts that are JSON, by name. */
  readonly values: Readonly<Record<string, CompiledShape>>;
  /** Problems that do not depend on the event. The affected parts fail when they are rendered. */
  readonly problems: readonly TemplateProblem[];
}

/** Does not throw: the result contains the problems. Skips parts that the channel does not have: the config rejects them. */
export function compileTemplate(template: Template, parts: ChannelTemplateParts): CompiledTemplate {
  const problems: TemplateProblem[] = [];
  let length = 0;
  const compile = (source: string, escaping: Escaping, path: TemplatePath): CompiledText => {
    length += source.length;
    const compiled =
      length > TEMPLATE_LIMITS.template ? tooLong(source, escaping) : compileText(source, escaping, TEMPLATE_NAMES);
    problems.push(...compiled.problems.map((problem) => templateProblemAt(path, problem)));
    return compiled;
  };
  const compileShape = (shape: TemplateShape, path: TemplatePath): CompiledShape => {
    if (typeof shape === 'string') return { text: compile(shape, 'plain', path), path };
    if (isList(shape)) return { list: shape.map((item, index) => compileShape(item, [...path, index])) };
    if (typeof shape !== 'object' || shape === null) return shape;
    return { section: Object.entries(shape).map(([key, item]) => [key, compileShape(item, [...path, key])]) };
  };
  const texts: Record<string, CompiledText> = {};
  const values: Record<string, CompiledShape> = {};
  for (const [name, { form, escaping }] of Object.entries(parts)) {
    const source = template[name];
    if (form === 'json') {
      if (source !== undefined) values[name] = compileShape(source, [name]);
    } else if (typeof source === 'string') {
      texts[name] = compile(source, escaping, [name]);
    }
  }
  return { parts, texts, values, problems };
}

/** Compiled, a text takes a hundred times its memory, and all of a template are compiled in one go. */
function tooLong(source: string, escaping: Escaping): CompiledText {
  const message = `expected at most ${TEMPLATE_LIMITS.template.toLocaleString('en')} characters`;
  return { ...compileText('', escaping, {}), source, problems: [{ message }] };
}

export function templateProblemAt(path: TemplatePath, { line, column, message }: TextProblem): TemplateProblem {
  return { path, message: line === undefined ? message : `line ${line}, column ${column}: ${message}` };
}

/** `Array.isArray` does not narrow readonly arrays. */
function isList(shape: TemplateShape): shape is readonly TemplateShape[] {
  return Array.isArray(shape);
}
