/**
 * Finds a path in shapes, and describes one that does not exist with the name that was probably meant. Knows nothing of
 * patterns or templates.
 */

import leven from 'leven';
import { MAX_WORD_LENGTH } from '../filters/nearest-word.ts';
import { ANY, type Shape } from './event-shape.ts';

export interface UnknownName {
  /** Up to the first name that does not exist. */
  readonly path: string;
  readonly message: string;
  /** How good the suggestion is: lower is better. */
  readonly rank: number;
}

/** All names of the fields of these shapes. */
export function namesIn(shapes: readonly Shape[]): readonly string[] {
  const names = new Set<string>();
  const collect = ({ fields = {} }: Shape) => {
    for (const [name, inner] of Object.entries(fields)) {
      names.add(name);
      collect(inner);
    }
  };
  shapes.forEach(collect);
  return [...names];
}

/** The first name of the path that none of the shapes has; undefined if one of them has the path. */
export function findUnknownPath(path: readonly string[], shapes: readonly Shape[]): UnknownName | undefined {
  const names = namesIn(shapes);
  const unknown = shapes.map((shape) => findUnknownName(path, shape, names));
  if (unknown.some((name) => name === undefined)) return undefined;
  return unknown.flatMap((name) => name ?? []).toSorted((one, other) => one.rank - other.rank)[0];
}

/**
 * The shape at a path; undefined when there is no such field.
 * @param names all names of the shapes in question
 */
export function shapeAt(root: Shape, path: readonly string[], names: readonly string[]): Shape | undefined {
  let shape: Shape | undefined = root;
  for (const name of path) {
    if (shape === undefined || isAny(shape)) return shape;
    const field: Shape | undefined = Object.hasOwn(shape.fields ?? {}, name) ? shape.fields?.[name] : undefined;
    shape = field ?? (mayHave(shape, name, names) ? ANY : undefined);
  }
  return shape;
}

export const isAny = ({ fields, types, values }: Shape) =>
  fields === undefined && types === undefined && values === undefined;

/** Whether a field that is not listed may exist. A name that is similar to a known one is a typing error. */
function mayHave({ others = 'never' }: Shape, name: string, names: readonly string[]): boolean {
  if (others === 'possible') return true;
  return others === 'unlikely' && (names.includes(name) || nearestField(name, names) === undefined);
}

/** The first name of the path that the shape does not have, with a suggestion. */
export function findUnknownName(
  path: readonly string[],
  root: Shape,
  names: readonly string[],
): UnknownName | undefined {
  const end = path.findIndex((_, index) => shapeAt(root, path.slice(0, index + 1), names) === undefined);
  return end === -1 ? undefined : describeUnknown(path, end, root, names);
}

function describeUnknown(path: readonly string[], end: number, root: Shape, names: readonly string[]): UnknownName {
  const name = path[end] ?? '';
  const parent = shapeAt(root, path.slice(0, end), names);
  const at = path.slice(0, end + 1).join('.');
  const siblings = Object.keys(parent?.fields ?? {});
  if (parent !== undefined && parent.fields === undefined) {
    return { path: at, message: `expected a list of alternatives: '${path[end - 1] ?? ''}' has no fields`, rank: 1 };
  }
  const deeper = pathTo(root, path.slice(end));
  if (deeper !== undefined) return { path: at, message: unknownField(name, deeper), rank: 0 };
  // In custom event types, patterns begin with the fields of the record.
  const inner = path.findIndex((_, index) => index > end && listedAt(root, path.slice(index)));
  if (inner !== -1) return { path: at, message: unknownField(name, path.slice(inner).join('.')), rank: 0 };
  const nearest = nearestField(name, siblings);
  if (nearest !== undefined) return { path: at, message: unknownField(name, nearest), rank: 0 };
  const elsewhere = allPaths(root).find((candidate) => nearestField(name, [candidate.at(-1) ?? '']) !== undefined);
  if (elsewhere !== undefined) return { path: at, message: unknownField(name, elsewhere.join('.')), rank: 1 };
  return { path: at, message: `unknown field '${name}', see docs/fields.md`, rank: 2 };
}

const unknownField = (name: string, suggestion: string) => `unknown field '${name}', did you mean '${suggestion}'?`;

/** The shortest path that ends with these names, up to the first of them. */
function pathTo(root: Shape, rest: readonly string[]): string | undefined {
  const candidate = allPaths(root).find(
    (path) => path.length >= rest.length && rest.every((name, index) => path.at(index - rest.length) === name),
  );
  return candidate?.slice(0, candidate.length - rest.length + 1).join('.');
}

function listedAt(root: Shape, path: readonly string[]): boolean {
  return allPaths(root).some((candidate) => candidate.join('.') === path.join('.'));
}

/** Breadth first, `record` before `previous`. */
function allPaths(root: Shape, path: readonly string[] = []): readonly (readonly string[])[] {
  const own = Object.keys(root.fields ?? {}).map((name) => [...path, name]);
  const inner = Object.entries(root.fields ?? {}).flatMap(([name, shape]) => allPaths(shape, [...path, name]));
  return [...own, ...inner].sort((a, b) => a.length - b.length);
}

/** The known name that was probably meant; undefined when none is similar. */
export function nearestField(name: string, fields: readonly string[]): string | undefined {
  if (name.length > MAX_WORD_LENGTH) return undefined;
  const limit = name.length < 4 ? 1 : Math.max(2, Math.floor(name.length / 4));
  const [nearest] = fields
    .map((one) => ({ one, distance: leven(name.toLowerCase(), one.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  return nearest !== undefined && nearest.distance <= limit ? nearest.one : undefined;
}
