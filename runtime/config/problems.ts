/**
 * Describes the problems of a config: where, what was expected, what the file has.
 * Values are shown as they stand in the file: nothing of the environment and no secret reaches a message.
 */

import leven from 'leven';
import type * as z from 'zod';
import { CHANNELS } from '../../adapters/channels/index.ts';
import type { ConfigProblem } from '../../core/model/errors.ts';
import { configJsonSchema } from './schema.ts';
import { isSection } from './values.ts';

export type Path = readonly PropertyKey[];

/**
 * Keys whose values are secrets, at any place: kept as references, resolved at the moment of use, never shown. Those of
 * channels count under a misspelled channel too.
 */
const SECRET_KEYS: ReadonlySet<PropertyKey> = new Set([
  'token',
  'secret',
  'smtp',
  ...CHANNELS.flatMap(({ secretKeys }) => secretKeys),
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

type Issue = z.core.$ZodIssue;

/** The schema's issues as problems. */
export function describeIssues(issues: readonly Issue[], raw: unknown): ConfigProblem[] {
  const found = issues.flatMap(withoutUnion);
  const slips = found.filter(isSlip).map(({ path }) => pathText(path));
  return found
    .filter(({ code, path }) => !(code === 'custom' && slips.includes(pathText(path))))
    .flatMap((issue) => describeIssue(issue, raw));
}

/** Of a choice between kinds only what is wrong with the kind that was chosen: a section is told of its keys. */
function withoutUnion(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const chosen = issue.errors.filter((branch) => branch.every((one) => one.path.length > 0 || !isOfKind(one)));
  const [branch, ...others] = chosen;
  if (branch === undefined || others.length > 0) return [issue];
  return branch.flatMap((one) => withoutUnion({ ...one, path: [...issue.path, ...one.path] }));
}

const isOfKind = ({ code }: Issue) => code === 'invalid_type' || code === 'invalid_value';

/** A key with a slip of the finger: what its section lacks without it is told when it is repaired. */
function isSlip(issue: Issue): boolean {
  return issue.code === 'unrecognized_keys' && issue.keys.some((key) => nearestOf(key, keysAt(issue.path)));
}

function describeIssue(issue: Issue, raw: unknown): ConfigProblem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: pathText(issue.path), message: unknownKey(key, keysAt(issue.path)) }));
  }
  const expected = issue.message.startsWith('expected') ? issue.message : fallback(issue);
  if (issue.code !== 'invalid_type') return [problemAt(raw, issue.path, expected)];
  return [{ path: pathText(issue.path), message: `${expected}, got ${showKind(raw, issue.path)}` }];
}

/** Longer lists of keys are left to the reference. */
const MOST_KEYS = 8;

/** Sections carry no message of their own in the schema: one that is missing or of the wrong kind ends here. */
function fallback(issue: Issue): string {
  if (issue.code !== 'invalid_type') return issue.message;
  if (issue.expected !== 'object') return `expected ${issue.expected}`;
  const keys = keysAt(issue.path);
  return `expected a section with ${keys.length > 0 && keys.length <= MOST_KEYS ? keys.join(', ') : 'keys'}`;
}

function unknownKey(key: string, known: readonly string[]): string {
  const nearest = nearestOf(key, known);
  return `unknown key '${key}', ${nearest === undefined ? `expected one of ${known.join(', ')}` : `did you mean '${nearest}'?`}`;
}

/** The key that a wrong one was likely meant to be, at the place of the wrong one. */
export function meantKey(path: Path): string | undefined {
  return nearestOf(String(path.at(-1)), keysAt(path.slice(0, -1)));
}

/** Undefined where none is near enough to be meant. */
export function nearestOf(key: string, known: readonly string[]): string | undefined {
  const [nearest] = known.map((name) => ({ name, distance: leven(key, name) })).sort((a, b) => a.distance - b.distance);
  return nearest !== undefined && nearest.distance <= Math.max(2, key.length / 3) ? nearest.name : undefined;
}

interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly additionalProperties?: Node;
  readonly anyOf?: readonly Node[];
}

/** The keys the schema knows at a place. */
function keysAt(path: Path): readonly string[] {
  return Object.keys(nodeAt(path)?.properties ?? {});
}

function nodeAt(path: Path): Node | undefined {
  let node: Node | undefined = configJsonSchema() as Node;
  for (const key of path) {
    const next: Node | undefined =
      typeof key === 'number' ? node?.items : (node?.properties?.[String(key)] ?? node?.additionalProperties);
    // Of a choice the section: it alone has keys.
    node = next?.anyOf?.find(({ properties }) => properties !== undefined) ?? next;
  }
  return node;
}

/** The value as the file has it, short, and hidden where it is a secret, or may be one in place of its reference. */
function show(raw: unknown, path: Path): string {
  const value = valueAt(raw, path);
  if (value === undefined) return 'nothing';
  if (value === null) return 'an empty value';
  if (isSecret(path) || path.includes('moreSecrets')) return HIDDEN;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object') return Object.keys(value).join(', ') || 'an empty section';
  if (typeof value === 'string') return `'${value.length > 80 ? `${value.slice(0, 80)}…` : value}'`;
  return String(value);
}

const HIDDEN = 'a value that is not shown here';

/** The same where the kind is wrong: a section is called one, and text that stands for a section with secrets may be one. */
function showKind(raw: unknown, path: Path): string {
  const value = valueAt(raw, path);
  const shown = show(raw, path);
  if (typeof value === 'string') return holdsSecrets(nodeAt(path)) ? HIDDEN : shown;
  return isSection(value) && !isSecret(path) && Object.keys(value).length > 0 ? `a section with ${shown}` : shown;
}

function holdsSecrets(node: Node | undefined): boolean {
  const { properties = {}, items } = node ?? {};
  return (
    Object.entries(properties).some(([key, child]) => SECRET_KEYS.has(key) || holdsSecrets(child)) ||
    (items !== undefined && holdsSecrets(items))
  );
}

/** What stands at a place of the file; undefined where there is nothing. */
export function valueAt(raw: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    raw,
  );
}
