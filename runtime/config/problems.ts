/**
 * Puts what is wrong with a config into words: where, what was expected, what came.
 * Values are shown as they stand in the file: nothing of the environment and no secret reaches a message.
 */

import leven from 'leven';
import type * as z from 'zod';
import type { ConfigProblem } from '../../core/model/errors.ts';
import { configJsonSchema } from './schema.ts';

export type Path = readonly PropertyKey[];

/** Keys whose values are secrets: kept as references, resolved at the moment of use, never shown. */
const SECRET_KEYS: ReadonlySet<PropertyKey> = new Set([
  'token',
  'secret',
  'webhook',
  'smtp',
  'headers',
  'password',
  'bearer',
]);

export function isSecret(path: Path): boolean {
  return path.some((key) => SECRET_KEYS.has(key));
}

/** `subscriptions[0].to.http.url` */
export function pathText(path: Path): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : text === '' ? String(key) : `${text}.${String(key)}`),
    '',
  );
}

/** One problem at a place of the file. */
export function problemAt(raw: unknown, path: Path, expected: string): ConfigProblem {
  return { path: pathText(path), message: `${expected}, got ${show(raw, path)}` };
}

/** What the schema found, in our words. */
export function describeIssue(issue: z.core.$ZodIssue, raw: unknown): ConfigProblem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: pathText(issue.path), message: unknownKey(key, keysAt(issue.path)) }));
  }
  return [problemAt(raw, issue.path, issue.message.startsWith('expected') ? issue.message : fallback(issue))];
}

/** Sections carry no message of their own in the schema: one that is missing or of the wrong kind ends here. */
function fallback(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_type') return issue.message;
  return `expected ${issue.expected === 'object' ? 'a section with keys' : issue.expected}`;
}

function unknownKey(key: string, known: readonly string[]): string {
  const [nearest] = known.map((name) => ({ name, distance: leven(key, name) })).sort((a, b) => a.distance - b.distance);
  const close = nearest !== undefined && nearest.distance <= Math.max(2, key.length / 3);
  return `unknown key '${key}', ${close ? `did you mean '${nearest.name}'?` : `expected one of ${known.join(', ')}`}`;
}

/** The keys the schema knows at a place. */
function keysAt(path: Path): readonly string[] {
  type Node = { properties?: Record<string, Node>; items?: Node; additionalProperties?: Node };
  let node: Node | undefined = configJsonSchema() as Node;
  for (const key of path) {
    node = typeof key === 'number' ? node?.items : (node?.properties?.[String(key)] ?? node?.additionalProperties);
  }
  return Object.keys(node?.properties ?? {});
}

/** The value as the file has it, short, and hidden where it is a secret, or may be one in place of its reference. */
function show(raw: unknown, path: Path): string {
  const value = valueAt(raw, path);
  if (value === undefined) return 'nothing';
  if (value === null) return 'an empty value';
  if (isSecret(path) || path.includes('moreSecrets')) return 'a value that is not shown here';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object') return Object.keys(value).join(', ') || 'an empty section';
  if (typeof value === 'string') return `'${value.length > 80 ? `${value.slice(0, 80)}…` : value}'`;
  return String(value);
}

/** What stands at a place of the file; undefined where there is nothing. */
export function valueAt(raw: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    raw,
  );
}
