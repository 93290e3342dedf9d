/**
 * Finds names and values in a pattern that can never match, such as a misspelled field or a number where ids are text. Pure
 * and offline: what an account contains is checked elsewhere.
 */

import { describeValue } from '../filters/describe-value.ts';
import type { Field, Section } from '../filters/pattern-node.ts';
import type { Scalar, Test } from '../filters/pattern-operators.ts';
import { type PatternProblem, parsePattern } from '../filters/pattern-tree.ts';
import { type Shape, scalarTypeOf } from './event-shape.ts';
import { findUnknownName, isAny, namesIn, nearestField, shapeAt, type UnknownName } from './shape-path.ts';

/**
 * The problems of a valid pattern: what no value of any of the shapes can match. Each alternative of `$or` must be possible
 * for one of them.
 */
export function findFieldProblems(pattern: unknown, shapes: readonly Shape[]): readonly PatternProblem[] {
  const { tree, problems } = parsePattern(pattern);
  if (problems.length > 0 || shapes.length === 0) return [];
  const names = namesIn(shapes);
  const ofSections = tree.alternatives.flatMap((section) => sectionProblems(section, shapes, names));
  return [...new Map(ofSections.map(({ path, message }) => [`${path} ${message}`, { path, message }])).values()];
}

/**
 * Of a pattern without `$or`.
 * @param names all names of the shapes
 */
function sectionProblems(
  section: Section,
  shapes: readonly Shape[],
  names: readonly string[],
): readonly PatternProblem[] {
  const fields = fieldsOf(section);
  const unknown = shapes.map((shape) =>
    fields.flatMap((field) => findUnknownName(field.path, shape, names) ?? missingFields(field, shape, names) ?? []),
  );
  const possible = shapes.filter((_, index) => unknown[index]?.length === 0);
  const [fewest = []] = unknown.toSorted((a, b) => a.length - b.length || totalRank(a) - totalRank(b));
  return [
    ...(possible.length === 0 ? fewest : []),
    ...fields.flatMap((field) => {
      // Without a type that has all fields, each field is compared with the types that have it.
      const fieldShapes = (possible.length === 0 ? shapes : possible).flatMap(
        (shape) => shapeAt(shape, field.path, names) ?? [],
      );
      return fieldShapes.length === 0 ? [] : valueProblems(field, fieldShapes);
    }),
  ];
}

const totalRank = (problems: readonly UnknownName[]) => problems.reduce((sum, { rank }) => sum + rank, 0);

function fieldsOf({ children }: Section): readonly Field[] {
  return children.flatMap(([, child]) => (child.kind === 'field' ? [child] : fieldsOf(child)));
}

/** An alternative can only be compared with a value, not with an object. */
function missingFields({ path }: Field, root: Shape, names: readonly string[]): UnknownName | undefined {
  const shape = shapeAt(root, path, names);
  if (shape?.fields === undefined || shape.isList === true || isAny(shape)) return undefined;
  const examples = Object.keys(shape.fields).slice(0, 4).join(', ');
  const message = `expected fields such as ${examples}: '${path.at(-1)}' has no value of its own`;
  return { path: path.join('.'), message, rank: 1 };
}

/** Alternatives of a field that none of the shapes allows. */
function valueProblems({ path, values, tests }: Field, shapes: readonly Shape[]): readonly PatternProblem[] {
  const at = path.join('.');
  const united = uniteValues(shapes);
  const wrongValues = [...values].flatMap((value) => impossible(united, (shape) => valueProblem(value, shape)));
  const wrongTests = tests.flatMap((test) => impossible(united, (shape) => testProblem(test, shape)));
  return [...wrongValues, ...wrongTests].map((message) => ({ path: at, message }));
}

/** Where all shapes list their values, such as types of events, one shape with all of them: messages can name them. */
function uniteValues(shapes: readonly Shape[]): readonly Shape[] {
  if (shapes.some(({ values }) => values === undefined)) return shapes;
  return [{ values: [...new Set(shapes.flatMap(({ values = [] }) => values))] }];
}

/** The reason, if every shape has one. */
function impossible(shapes: readonly Shape[], problemFor: (shape: Shape) => string | undefined): readonly string[] {
  const reasons = shapes.map(problemFor);
  const [first] = reasons;
  return first !== undefined && reasons.every((reason) => reason !== undefined) ? [first] : [];
}

function valueProblem(value: Scalar, { types, values, pattern, isList = false }: Shape): string | undefined {
  const got = describeValue(value);
  if (values !== undefined) return values.includes(value) ? undefined : unknownValue(value, values);
  if (value === null && isList) return `expected { exists: false } for an empty list, got null`;
  if (types !== undefined && !types.includes(scalarTypeOf(value))) return `${expectedType(types, value)}, got ${got}`;
  if (typeof value !== 'string' || pattern === undefined || pattern.test(value)) return undefined;
  return `expected ${describePattern(pattern)}, got ${got}`;
}

function unknownValue(value: Scalar, values: readonly Scalar[]): string {
  const got = describeValue(value);
  const texts = values.filter((one) => typeof one === 'string');
  const nearest = typeof value === 'string' ? nearestField(value, texts) : undefined;
  if (nearest !== undefined) return `unknown value ${got}, did you mean '${nearest}'?`;
  return values.length > MAX_LISTED_VALUES
    ? `unknown value ${got}, see docs/fields.md`
    : `expected one of ${values.map(describeValue).join(', ')}, got ${got}`;
}

const MAX_LISTED_VALUES = 8;

function expectedType(types: readonly string[], value: Scalar): string {
  if (types.includes('string')) return `expected text in quotes such as '${String(value)}': ids and texts are text`;
  if (types.includes('number')) return 'expected a number without quotes';
  return types.includes('boolean') ? 'expected true or false' : 'expected another type of value';
}

function describePattern({ source }: RegExp): string {
  if (source.startsWith('^\\d{4}')) return "a date such as '2026-11-14'";
  if (source.includes('sources')) return "the address of a source such as '/sources/main'";
  return source.includes('/.+') ? `a subject such as '${source.slice(1, source.indexOf('\\/'))}/12'` : 'another text';
}

/** An operator that the type of the field never satisfies, or an exclusion that excludes nothing. */
function testProblem({ needs, excludes }: Test, { types, values, isList = false }: Shape): string | undefined {
  const possible = types ?? values?.map(scalarTypeOf);
  if (possible === undefined) return undefined;
  if (needs !== undefined && !possible.includes(needs)) {
    return needs === 'number'
      ? 'expected texts: this field is text, and numeric matches numbers only'
      : 'expected numbers or true and false: this field is not text';
  }
  const useless = excludes?.filter((value) => valueProblem(value, { types, values, isList }) !== undefined) ?? [];
  const [first] = useless;
  return first === undefined
    ? undefined
    : `expected a value that occurs, because anything-but excludes nothing here, got ${describeValue(first)}`;
}
