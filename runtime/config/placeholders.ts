/**
 * Takes out of a config what has the wrong shape, so that the rest of it can still be checked: harmless values stand in
 * for what cannot be missing. Made to be looked at; nothing ever runs with it.
 */

import type * as z from 'zod';
import type { ChannelDefinition } from '../../adapters/channels/definition.ts';
import { CHANNELS } from '../../adapters/channels/index.ts';
import { isSecret, meantKey, type Path, pathText, valueAt } from './problems.ts';
import { configSchema, type ParsedConfig } from './schema.ts';
import { isSection } from './values.ts';

/** Valid in place of any secret: files are not read while a config is checked. */
export const ANY_SECRET = 'file:secret';
export const ANY_URL = 'https://tidings.example.com';
const ANY_ADDRESS = 'tidings@example.com';

type Placeholder<T> = readonly [place: RegExp, value: (index: string) => T];

/** Values that have a form of their own, and say nothing that any check could find fault with. */
const VALUES: readonly Placeholder<string>[] = [
  [/(^|\.)(baseUrl|url|api|runbookUrl)$/, () => ANY_URL],
  [/\.digest\.at$|\.quiet\.(from|until)$/, () => '08:00'],
  [/(^|\.)timeZone$/, () => 'UTC'],
  [/^mail\.from$|^aws\.alarmEmail$|\.to\.\w+\.to\[\d+\]$/, () => ANY_ADDRESS],
  [/^subscriptions\[\d+\]\.events\[\d+\]$/, () => '*'],
];

const source = (index: string) => ({ name: `placeholder-${index}`, baseUrl: ANY_URL, token: ANY_SECRET });

/** A target that accepts every option of a subscription, and needs nothing else in the config. */
const anyTarget = () =>
  Object.fromEntries(
    CHANNELS.filter(({ gathers, needs }) => gathers && needs.length === 0)
      .slice(0, 1)
      .map(({ name, placeholder }) => [name, placeholder]),
  );

/** The settings of each channel, then each of the keys in them. */
const TARGETS: readonly Placeholder<unknown>[] = CHANNELS.flatMap(({ name, placeholder }: ChannelDefinition) => [
  [new RegExp(`\\.to\\.${name}$`), () => placeholder] as const,
  ...Object.entries(placeholder).flatMap(([key, value]) => [
    [new RegExp(`\\.to\\.${name}\\.${key}$`), () => value] as const,
    ...(Array.isArray(value) ? [[new RegExp(`\\.to\\.${name}\\.${key}\\[\\d+\\]$`), () => value[0]] as const] : []),
  ]),
]);

const when = () => ({ after: { id: [{ exists: true }] } });
const ownType = (index: string) => ({ type: `task.placeholder_${index}`, meaning: 'A placeholder', when: when() });

/** What else must be there, from the whole to its parts. */
const PARTS: readonly Placeholder<unknown>[] = [
  [/^source$|^sources\[(\d+)\]$/, source],
  [/^(?:sources|subscriptions)\[(\d+)\]\.name$/, (index) => `placeholder-${index}`],
  [/^subscriptions\[(\d+)\]$/, (index) => ({ name: `placeholder-${index}`, events: ['*'], to: anyTarget() })],
  [/^subscriptions\[\d+\]\.events$/, () => ['*']],
  [/^subscriptions\[\d+\]\.to$/, anyTarget],
  ...TARGETS,
  [/^customEvents\[(\d+)\]\.type$/, (index) => ownType(index).type],
  [/^customEvents\[\d+\]\.meaning$/, () => ownType('').meaning],
  [/^customEvents\[\d+\]\.when$/, when],
  [/^customEvents\[\d+\]\.when\.after$/, () => when().after],
  [/^customEvents\[(\d+)\]$/, ownType],
  // Allow http while `network` is invalid, to avoid follow-on errors.
  [/^network$/, () => ({ allowHttp: true })],
  [/^network\.allowHttp$/, () => true],
  [/^mail$/, () => ({ from: ANY_ADDRESS })],
];

export interface CheckableConfig {
  readonly config: ParsedConfig;
  /** Places whose value is none of the file, or which cannot be judged without one that is not: nothing is said of them. */
  readonly isOpen: (place: string) => boolean;
}

/** Each round takes out what the one before uncovered; nothing in a config is as deep. */
const ROUNDS = 12;

/** Undefined where not enough is left to look at. */
export function replaceInvalid(tree: unknown): CheckableConfig | undefined {
  const replaced = new Set<string>();
  let repaired = tree;
  for (let round = 0; round < ROUNDS && isSection(repaired); round++) {
    const parsed = configSchema.safeParse(repaired);
    if (parsed.success) return { config: parsed.data, isOpen: openAmong([...replaced]) };
    // A place with several issues is replaced once per round.
    const issues = new Map(
      parsed.error.issues.map((issue) => [`${issue.code === 'unrecognized_keys'} ${pathText(issue.path)}`, issue]),
    );
    repaired = [...issues.values()].reduce<unknown>((rest, issue) => takeOut(rest, issue, replaced), repaired);
  }
  return undefined;
}

/** What stands below a place that was replaced is open; so are types and templates where the config's own types are. */
function openAmong(replaced: readonly string[]): (place: string) => boolean {
  const ownTypes = replaced.some((place) => place.startsWith('customEvents'));
  return (place) =>
    replaced.some((one) => place === one || place.startsWith(`${one}.`) || place.startsWith(`${one}[`)) ||
    (ownTypes && /^subscriptions\[\d+\]\.(events|template)/.test(place));
}

function takeOut(tree: unknown, issue: z.core.$ZodIssue, replaced: Set<string>): unknown {
  if (issue.code !== 'unrecognized_keys') return replaceAt(tree, issue.path, replaced);
  return issue.keys.reduce((rest, key) => rename(rest, [...issue.path, key], replaced), tree);
}

/** A misspelled key counts as the nearest valid one, so that its section does not seem incomplete. */
function rename(tree: unknown, path: Path, replaced: Set<string>): unknown {
  const meant = meantKey(path);
  const target = meant === undefined ? undefined : [...path.slice(0, -1), meant];
  replaced.add(pathText(path));
  if (target === undefined || valueAt(tree, target) !== undefined) return put(tree, path, undefined);
  replaced.add(pathText(target));
  return put(put(tree, target, valueAt(tree, path)), path, undefined);
}

function replaceAt(tree: unknown, path: Path, replaced: Set<string>): unknown {
  if (path.length === 0) return withOneSource(tree);
  const place = pathText(path);
  const value = replaced.has(place) ? undefined : placeholderFor(path, place);
  // What is not enough, or leaves a hole in a list, takes the section around it along.
  if (value === undefined && (replaced.has(place) || typeof path.at(-1) === 'number'))
    return replaceAt(tree, path.slice(0, -1), replaced);
  replaced.add(place);
  return withoutTemplate(put(tree, path, value), path, replaced);
}

/** A template cannot be checked without its channel and events. */
function withoutTemplate(tree: unknown, path: Path, replaced: Set<string>): unknown {
  if (!/^subscriptions\[\d+\]\.(events.*|to)$/.test(pathText(path))) return tree;
  const template = [...path.slice(0, 2), 'template'];
  replaced.add(pathText(template));
  return put(tree, template, undefined);
}

/** Neither source nor sources, or both. */
function withOneSource(tree: unknown): unknown {
  return valueAt(tree, ['source']) === undefined
    ? put(tree, ['source'], source('0'))
    : put(tree, ['sources'], undefined);
}

function placeholderFor(path: Path, place: string): unknown {
  if (isSecret(path) && path.at(-1) !== 'headers') return ANY_SECRET;
  return findPlaceholder([...VALUES, ...PARTS], place);
}

/** A copy with this value at a place; undefined takes the key out. */
function put(tree: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(tree)) return tree.map((item, index) => (index === key ? put(item, rest, value) : item));
  const { [key]: before, ...others } = Object(isSection(tree) ? tree : {});
  const after = put(before, rest, value);
  return after === undefined ? others : { ...others, [key]: after };
}

/** Harmless text for a place whose value has a form of its own; undefined for any other place. */
export function anyValueAt(place: string): string | undefined {
  return findPlaceholder(VALUES, place);
}

function findPlaceholder<T>(known: readonly Placeholder<T>[], place: string): T | undefined {
  for (const [form, value] of known) {
    const found = form.exec(place);
    if (found !== null) return value(found[1] ?? '0');
  }
  return undefined;
}
