/**
 * Finds variables of a template that no event of its subscription has, such as `{{ record.tittle }}`. Liquid renders them as
 * nothing, so they would go unnoticed. Renders nothing.
 */

import type { Shape } from '../events/event-shape.ts';
import { findUnknownPath } from '../events/shape-path.ts';
import type { CompiledShape, CompiledTemplate, TemplatePath, TemplateProblem } from './template-compile.ts';
import type { CompiledText } from './template-engine.ts';

/** Members that Liquid adds to every list and text. */
const LIQUID_MEMBERS = ['size', 'first', 'last'];

/** The variables of a template for an event of this shape. `link`, `line`, `time` and `summary` are texts of ours. */
function scopeOf(event: Shape): Shape {
  const { record = {}, previous = {}, changes = {}, details = {}, by = {} } = event.fields?.data?.fields ?? {};
  return { fields: { event, record, previous, changes, details, by }, others: 'possible' };
}

/** @param events the shapes of the events that the subscription may get */
export function findUnknownVariables(
  { texts, values }: Pick<CompiledTemplate, 'texts' | 'values'>,
  events: readonly Shape[],
): readonly TemplateProblem[] {
  if (events.length === 0) return [];
  const scopes = events.map(scopeOf);
  const parts: readonly (readonly [TemplatePath, CompiledText])[] = [
    ...Object.entries(texts).map(([part, text]) => [[part], text] as const),
    ...Object.values(values).flatMap(textsIn),
  ];
  return parts.flatMap(([path, compiled]) => unknownIn(compiled, scopes).map((message) => ({ path, message })));
}

function textsIn(shape: CompiledShape): readonly (readonly [TemplatePath, CompiledText])[] {
  if (typeof shape !== 'object' || shape === null) return [];
  if ('list' in shape) return shape.list.flatMap(textsIn);
  return 'section' in shape ? shape.section.flatMap(([, item]) => textsIn(item)) : [[shape.path, shape.text]];
}

function unknownIn({ engine, parsed, source }: CompiledText, scopes: readonly Shape[]): readonly string[] {
  const { variables } = engine.analyzeSync([...parsed], { partials: false });
  const aliases = aliasesIn(source);
  const messages = Object.values(variables)
    .flat()
    .flatMap(({ segments, location: { row, col } }) => {
      const path = resolvePath(segments, aliases);
      const unknown = findUnknownPath(path, scopes);
      return unknown === undefined ? [] : [`line ${row}, column ${col}: ${unknown.message}`];
    });
  return [...new Set(messages)];
}

/** `change` stands for `changes` in `{% for change in changes %}`, and `x` for `record` after `{% assign x = record %}`. */
function aliasesIn(source: string): ReadonlyMap<string, readonly string[]> {
  const loops = source.matchAll(/\{%-?\s*for\s+(\w+)\s+in\s+([\w.]+)/g);
  const assignments = source.matchAll(/\{%-?\s*assign\s+(\w+)\s*=\s*([\w.]+)\s*-?%\}/g);
  return new Map([...loops, ...assignments].map(([, alias = '', path = '']) => [alias, path.split('.')]));
}

/** The names of a variable up to the first computed one. Each event of `events` has the variables of a single event. */
function resolvePath(segments: readonly unknown[], aliases: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const end = segments.findIndex((segment) => typeof segment !== 'string' && typeof segment !== 'number');
  const names = (end === -1 ? segments : segments.slice(0, end)).filter((segment) => typeof segment === 'string');
  const [root = '', ...rest] = names;
  const alias = aliases.get(root);
  const path = alias === undefined || alias[0] === root ? names : [...alias, ...rest];
  const plain = path.filter((name) => !LIQUID_MEMBERS.includes(name));
  return plain[0] === 'events' ? plain.slice(1) : plain;
}
