/**
 * Describes the problems of a config: the path, what was expected, and what the file contains.
 * Values are shown as written in the file, so no message contains a secret or an environment variable's value.
 */

import type * as z from 'zod';
import { CHANNELS } from '../../adapters/channels/index.ts';
import { nearestWord, suggestWord } from '../../core/filters/nearest-word.ts';
import type { ConfigProblem } from '../../core/model/errors.ts';
import { configJsonSchema } from './schema.ts';
import { isConfigSection } from './values.ts';

export type Path = readonly PropertyKey[];

/**
 * Keys with secret values, at any path: kept as references, resolved when used, never shown. Secret keys of channels are
 * matched at any path too, so that a misspelled channel name reveals nothing.
 */
const SECRET_KEYS: ReadonlySet<PropertyKey> = new Set([
  'token',
  'secret',
  'smtp',
  'signingSecret',
  'appToken',
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

/** A problem that ends with the value at the path. */
export function problemAt(raw: unknown, path: Path, expected: string): ConfigProblem {
  return { path: pathText(path), message: `${expected}, got ${show(raw, path)}` };
}

type Issue = z.core.$ZodIssue;

/** Where the schema of a config has that of a subscription. */
export const SUBSCRIPTION_PATH: Path = ['subscriptions', 0];

/** The schema's issues as problems. @param within the path of `raw` in the schema of a config */
export function describeIssues(issues: readonly Issue[], raw: unknown, within: Path): ConfigProblem[] {
  const all = issues.flatMap(flattenUnion);
  const misspelled = all.filter((issue) => isMisspelledKey(issue, within)).map(({ path }) => pathText(path));
  return all
    .filter(({ code, path }) => !(code === 'custom' && misspelled.includes(pathText(path))))
    .flatMap((issue) => describeIssue(issue, raw, within));
}

/** For a union, reports only the issues of the variant that was chosen: for a section those of its keys. */
function flattenUnion(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const matching = issue.errors.filter((branch) => branch.every((one) => one.path.length > 0 || !isTypeIssue(one)));
  const [branch, ...others] = matching;
  if (branch === undefined || others.length > 0) return [issue];
  return branch.flatMap((one) => flattenUnion({ ...one, path: [...issue.path, ...one.path] }));
}

const isTypeIssue = ({ code }: Issue) => code === 'invalid_type' || code === 'invalid_value';

/** A section with a misspelled key seems incomplete. Only the misspelling is reported. */
function isMisspelledKey(issue: Issue, within: Path): boolean {
  const path = [...within, ...issue.path];
  return issue.code === 'unrecognized_keys' && issue.keys.some((key) => nearestKey(key, keysAt(path)));
}

function describeIssue(issue: Issue, raw: unknown, within: Path): ConfigProblem[] {
  const inSchema = [...within, ...issue.path];
  // A schema may say why a key is not there, unless it is misspelled.
  const isExplained = issue.message.startsWith('expected');
  if (issue.code === 'unrecognized_keys' && isExplained && !isMisspelledKey(issue, within)) {
    return [{ path: pathText(issue.path), message: issue.message }];
  }
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: pathText(issue.path), message: unknownKey(key, keysAt(inSchema)) }));
  }
  const expected = isExplained ? issue.message : defaultMessage(issue, keysAt(inSchema));
  if (issue.code !== 'invalid_type') return [problemAt(raw, issue.path, expected)];
  return [{ path: pathText(issue.path), message: `${expected}, got ${showKind(raw, issue.path, nodeAt(inSchema))}` }];
}

/** Messages do not list more keys than this; docs/config.md does. */
const MAX_LISTED_KEYS = 9;

/** The schema has no messages for sections that are missing or have the wrong type. */
function defaultMessage(issue: Issue, keys: readonly string[]): string {
  if (issue.code !== 'invalid_type') return issue.message;
  if (issue.expected !== 'object') return `expected ${issue.expected}`;
  return `expected a section with ${keys.length > 0 && keys.length <= MAX_LISTED_KEYS ? keys.join(', ') : 'keys'}`;
}

function unknownKey(key: string, known: readonly string[]): string {
  return `unknown key '${key}', ${suggestWord(key, known)}`;
}

/** The valid key that a misspelled one was probably meant to be; `path` ends with the misspelled key. */
export function suggestKey(path: Path): string | undefined {
  return nearestKey(String(path.at(-1)), keysAt(path.slice(0, -1)));
}

/** Undefined if no known key is similar. */
export function nearestKey(key: string, known: readonly string[]): string | undefined {
  return nearestWord(key, known);
}

interface Node {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly additionalProperties?: Node;
  readonly anyOf?: readonly Node[];
}

/** The keys that the schema defines at a path. */
function keysAt(path: Path): readonly string[] {
  return Object.keys(nodeAt(path)?.properties ?? {});
}

function nodeAt(path: Path): Node | undefined {
  let node: Node | undefined = configJsonSchema() as Node;
  for (const key of path) {
    const next: Node | undefined =
      typeof key === 'number' ? node?.items : (node?.properties?.[String(key)] ?? node?.additionalProperties);
    // In a union only the section has keys.
    node = next?.anyOf?.find(({ properties }) => properties !== undefined) ?? next;
  }
  return node;
}

/** The type of the value at a path, if it is not text: a variable there is converted. */
export function plainTypeAt(path: Path): 'number' | 'boolean' | undefined {
  // Patterns are not part of the schema. Only these operands have one type.
  if (PATTERN_KEYS.some((key) => path.includes(key))) {
    if (path.at(-2) === 'numeric' && Number(path.at(-1)) % 2 === 1) return 'number';
    return path.at(-1) === 'exists' ? 'boolean' : undefined;
  }
  const node = nodeAt(path);
  // A union of a boolean and words, such as that of `aws.paused`.
  const type = node?.anyOf?.some(({ type }) => type === 'boolean') === true ? 'boolean' : node?.type;
  return type === 'boolean' ? type : type === 'number' || type === 'integer' ? 'number' : undefined;
}

const PATTERN_KEYS = ['where', 'when'] as const;

/** The value as written in the file, shortened. Hidden when it is a secret, or may be one written in place of a reference. */
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

/** For a value of the wrong type: names sections as such, and hides text in place of a section with secrets. */
function showKind(raw: unknown, path: Path, node: Node | undefined): string {
  const value = valueAt(raw, path);
  const shown = show(raw, path);
  if (typeof value === 'string') return holdsSecrets(node) ? HIDDEN : shown;
  return isConfigSection(value) && !isSecret(path) && Object.keys(value).length > 0 ? `a section with ${shown}` : shown;
}

function holdsSecrets(node: Node | undefined): boolean {
  const { properties = {}, items } = node ?? {};
  return (
    Object.entries(properties).some(([key, child]) => SECRET_KEYS.has(key) || holdsSecrets(child)) ||
    (items !== undefined && holdsSecrets(items))
  );
}

/** The value at a path of the file; undefined when there is none. */
export function valueAt(raw: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    raw,
  );
}
