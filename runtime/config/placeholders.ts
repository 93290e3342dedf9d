/**
 * Replaces the invalid parts of a config by harmless placeholders, so that the rest can still be checked. Only for checks;
 * nothing runs with such a config.
 */

import type * as z from 'zod';
import type { ChannelDefinition } from '../../adapters/channels/definition.ts';
import { CHANNELS } from '../../adapters/channels/index.ts';
import { isSecret, type Path, pathText, suggestKey, valueAt } from './problems.ts';
import { configSchema, type ParsedConfig } from './schema.ts';
import { isConfigSection } from './values.ts';

/** Valid in place of any secret: files are not read while a config is checked. */
export const ANY_SECRET = 'file:secret';
export const ANY_URL = 'https://tidings.example.com';
const ANY_ADDRESS = 'tidings@example.com';

type Placeholder<T> = readonly [path: RegExp, value: (index: string) => T];

/** Values with a special format. They pass every check. */
const VALUES: readonly Placeholder<string>[] = [
  [/(^|\.)(baseUrl|url|api|runbookUrl)$/, () => ANY_URL],
  [/\.digest\.at$|\.quiet\.(from|until)$/, () => '08:00'],
  [/(^|\.)timeZone$/, () => 'UTC'],
  [/^mail\.from$|^aws\.alarmEmail$|\.to\.\w+\.to\[\d+\]$/, () => ANY_ADDRESS],
  [/^subscriptions\[\d+\]\.events\[\d+\]$/, () => '*'],
];

const source = (index: string) => ({ name: `placeholder-${index}`, baseUrl: ANY_URL, token: ANY_SECRET });

/** A target that accepts every option of a subscription and needs no other section of the config. */
const anyTarget = () =>
  Object.fromEntries(
    CHANNELS.filter(({ gathers, needs }) => gathers && needs.length === 0)
      .slice(0, 1)
      .map(({ name, placeholder }) => [name, placeholder]),
  );

/** The settings of each channel, followed by each of their keys. */
const TARGETS: readonly Placeholder<unknown>[] = CHANNELS.flatMap(({ name, placeholder }: ChannelDefinition) => [
  [new RegExp(`\\.to\\.${name}$`), () => placeholder] as const,
  ...Object.entries(placeholder).flatMap(([key, value]) => [
    [new RegExp(`\\.to\\.${name}\\.${key}$`), () => value] as const,
    ...(Array.isArray(value) ? [[new RegExp(`\\.to\\.${name}\\.${key}\\[\\d+\\]$`), () => value[0]] as const] : []),
  ]),
]);

const when = () => ({ after: { id: [{ exists: true }] } });
const customType = (index: string) => ({ type: `task.placeholder_${index}`, meaning: 'A placeholder', when: when() });

/** The other required parts, sections before their keys. */
const PARTS: readonly Placeholder<unknown>[] = [
  [/^source$|^sources\[(\d+)\]$/, source],
  [/^(?:sources|subscriptions)\[(\d+)\]\.name$/, (index) => `placeholder-${index}`],
  [/^subscriptions\[(\d+)\]$/, (index) => ({ name: `placeholder-${index}`, events: ['*'], to: anyTarget() })],
  [/^subscriptions\[\d+\]\.events$/, () => ['*']],
  [/^subscriptions\[\d+\]\.to$/, anyTarget],
  ...TARGETS,
  [/^customEvents\[(\d+)\]\.type$/, (index) => customType(index).type],
  [/^customEvents\[\d+\]\.meaning$/, () => customType('').meaning],
  [/^customEvents\[\d+\]\.when$/, when],
  [/^customEvents\[\d+\]\.when\.after$/, () => when().after],
  [/^customEvents\[(\d+)\]$/, customType],
  // Allow http while `network` is invalid, to avoid follow-on errors.
  [/^network$/, () => ({ allowHttp: true })],
  [/^network\.allowHttp$/, () => true],
  [/^mail$/, () => ({ from: ANY_ADDRESS })],
];

export interface CheckableConfig {
  readonly config: ParsedConfig;
  /** Whether a path holds a placeholder or depends on one: problems there must not be reported. */
  readonly isReplaced: (path: string) => boolean;
}

/** Each round replaces what the previous one uncovered. No config is nested this deeply. */
const MAX_ROUNDS = 12;

/** Undefined when too little of the config is valid. */
export function replaceInvalid(tree: unknown): CheckableConfig | undefined {
  const replaced = new Set<string>();
  let repaired = tree;
  for (let round = 0; round < MAX_ROUNDS && isConfigSection(repaired); round++) {
    const parsed = configSchema.safeParse(repaired);
    if (parsed.success) return { config: parsed.data, isReplaced: createReplacedCheck([...replaced]) };
    // A path with several issues is replaced once per round.
    const issues = new Map(
      parsed.error.issues.map((issue) => [`${issue.code === 'unrecognized_keys'} ${pathText(issue.path)}`, issue]),
    );
    repaired = [...issues.values()].reduce<unknown>((rest, issue) => repair(rest, issue, replaced), repaired);
  }
  return undefined;
}

/** Includes everything below a replaced path. Event types and templates depend on custom event types. */
function createReplacedCheck(replaced: readonly string[]): (path: string) => boolean {
  const hasReplacedTypes = replaced.some((path) => path.startsWith('customEvents'));
  return (path) =>
    replaced.some((one) => path === one || path.startsWith(`${one}.`) || path.startsWith(`${one}[`)) ||
    (hasReplacedTypes && /^subscriptions\[\d+\]\.(events|template)/.test(path));
}

function repair(tree: unknown, issue: z.core.$ZodIssue, replaced: Set<string>): unknown {
  if (issue.code !== 'unrecognized_keys') return replaceAt(tree, issue.path, replaced);
  return issue.keys.reduce((rest, key) => rename(rest, [...issue.path, key], replaced), tree);
}

/** Treats a misspelled key as the nearest valid one, so that its section is not reported as incomplete. */
function rename(tree: unknown, path: Path, replaced: Set<string>): unknown {
  const suggested = suggestKey(path);
  const target = suggested === undefined ? undefined : [...path.slice(0, -1), suggested];
  replaced.add(pathText(path));
  if (target === undefined || valueAt(tree, target) !== undefined) return put(tree, path, undefined);
  replaced.add(pathText(target));
  return put(put(tree, target, valueAt(tree, path)), path, undefined);
}

function replaceAt(tree: unknown, path: Path, replaced: Set<string>): unknown {
  if (path.length === 0) return withOneSource(tree);
  const text = pathText(path);
  const value = replaced.has(text) ? undefined : placeholderFor(path, text);
  // If the placeholder did not help, or a list would get a hole, the enclosing section is replaced.
  if (value === undefined && (replaced.has(text) || typeof path.at(-1) === 'number'))
    return replaceAt(tree, path.slice(0, -1), replaced);
  replaced.add(text);
  return withoutTemplate(put(tree, path, value), path, replaced);
}

/** A template cannot be checked without its channel and events. */
function withoutTemplate(tree: unknown, path: Path, replaced: Set<string>): unknown {
  if (!/^subscriptions\[\d+\]\.(events.*|to)$/.test(pathText(path))) return tree;
  const template = [...path.slice(0, 2), 'template'];
  replaced.add(pathText(template));
  return put(tree, template, undefined);
}

/** For a config with neither or both of source and sources. */
function withOneSource(tree: unknown): unknown {
  return valueAt(tree, ['source']) === undefined
    ? put(tree, ['source'], source('0'))
    : put(tree, ['sources'], undefined);
}

function placeholderFor(path: Path, text: string): unknown {
  if (isSecret(path) && path.at(-1) !== 'headers') return ANY_SECRET;
  return findPlaceholder([...VALUES, ...PARTS], text);
}

/** Returns a copy with the value at this path; undefined removes the key. */
function put(tree: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(tree)) return tree.map((item, index) => (index === key ? put(item, rest, value) : item));
  const { [key]: before, ...others } = Object(isConfigSection(tree) ? tree : {});
  const after = put(before, rest, value);
  return after === undefined ? others : { ...others, [key]: after };
}

/** A placeholder for a value with a special format; undefined for any other path. */
export function textPlaceholderAt(path: string): string | undefined {
  return findPlaceholder(VALUES, path);
}

function findPlaceholder<T>(placeholders: readonly Placeholder<T>[], path: string): T | undefined {
  for (const [pattern, value] of placeholders) {
    const match = pattern.exec(path);
    if (match !== null) return value(match[1] ?? '0');
  }
  return undefined;
}
