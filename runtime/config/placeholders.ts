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

/** Good wherever a secret is: nobody can look into a file while a config is checked. */
export const ANY_SECRET = 'file:secret';
export const ANY_URL = 'https://tidings.example.com';
const ANY_ADDRESS = 'tidings@example.com';

type StandIn<T> = readonly [place: RegExp, value: (index: string) => T];

/** Values that have a form of their own, and say nothing that any check could find fault with. */
const VALUES: readonly StandIn<string>[] = [
  [/(^|\.)(baseUrl|url|api|runbookUrl)$/, () => ANY_URL],
  [/\.digest\.at$|\.quiet\.(from|until)$/, () => '08:00'],
  [/(^|\.)timeZone$/, () => 'UTC'],
  [/^mail\.from$|^aws\.alarmEmail$|\.to\.\w+\.to\[\d+\]$/, () => ANY_ADDRESS],
  [/^subscriptions\[\d+\]\.events\[\d+\]$/, () => '*'],
];

const source = (index: string) => ({ name: `stand-in-${index}`, baseUrl: ANY_URL, token: ANY_SECRET });

/** A target that accepts every option of a subscription, and needs nothing else in the config. */
const anyTarget = () =>
  Object.fromEntries(
    CHANNELS.filter(({ gathers, needs }) => gathers && needs.length === 0)
      .slice(0, 1)
      .map(({ name, placeholder }) => [name, placeholder]),
  );

/** The settings of each channel, then each of the keys in them. */
const TARGETS: readonly StandIn<unknown>[] = CHANNELS.flatMap(({ name, placeholder }: ChannelDefinition) => [
  [new RegExp(`\\.to\\.${name}$`), () => placeholder] as const,
  ...Object.entries(placeholder).flatMap(([key, value]) => [
    [new RegExp(`\\.to\\.${name}\\.${key}$`), () => value] as const,
    ...(Array.isArray(value) ? [[new RegExp(`\\.to\\.${name}\\.${key}\\[\\d+\\]$`), () => value[0]] as const] : []),
  ]),
]);

const when = () => ({ after: { id: [{ exists: true }] } });
const ownType = (index: string) => ({ type: `task.stand_in_${index}`, meaning: 'A stand-in', when: when() });

/** What else must be there, from the whole to its parts. */
const PARTS: readonly StandIn<unknown>[] = [
  [/^source$|^sources\[(\d+)\]$/, source],
  [/^(?:sources|subscriptions)\[(\d+)\]\.name$/, (index) => `stand-in-${index}`],
  [/^subscriptions\[(\d+)\]$/, (index) => ({ name: `stand-in-${index}`, events: ['*'], to: anyTarget() })],
  [/^subscriptions\[\d+\]\.events$/, () => ['*']],
  [/^subscriptions\[\d+\]\.to$/, anyTarget],
  ...TARGETS,
  [/^customEvents\[(\d+)\]\.type$/, (index) => ownType(index).type],
  [/^customEvents\[\d+\]\.meaning$/, () => ownType('').meaning],
  [/^customEvents\[\d+\]\.when$/, when],
  [/^customEvents\[\d+\]\.when\.after$/, () => when().after],
  [/^customEvents\[(\d+)\]$/, ownType],
  // Closed to nobody: what is open or not cannot be said without it.
  [/^network$/, () => ({ allowHttp: true })],
  [/^network\.allowHttp$/, () => true],
  [/^mail$/, () => ({ from: ANY_ADDRESS })],
];

export interface Mended {
  readonly config: ParsedConfig;
  /** Places whose value is none of the file, or which cannot be judged without one that is not: nothing is said of them. */
  readonly isOpen: (place: string) => boolean;
}

/** Each round takes out what the one before uncovered; nothing in a config is as deep. */
const ROUNDS = 12;

/** Undefined where not enough is left to look at. */
export function withStandIns(tree: unknown): Mended | undefined {
  const replaced = new Set<string>();
  let mended = tree;
  for (let round = 0; round < ROUNDS && isSection(mended); round++) {
    const parsed = configSchema.safeParse(mended);
    if (parsed.success) return { config: parsed.data, isOpen: openAmong([...replaced]) };
    // One place may have several issues: replaced once, it is mended as far as this round can say.
    const issues = new Map(
      parsed.error.issues.map((issue) => [`${issue.code === 'unrecognized_keys'} ${pathText(issue.path)}`, issue]),
    );
    mended = [...issues.values()].reduce<unknown>((rest, issue) => takeOut(rest, issue, replaced), mended);
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

/** A key with a slip of the finger counts as the one that was meant: what depends on it is not told to be missing. */
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
  const value = replaced.has(place) ? undefined : standInAt(path, place);
  // What is not enough, or leaves a hole in a list, takes the section around it along.
  if (value === undefined && (replaced.has(place) || typeof path.at(-1) === 'number'))
    return replaceAt(tree, path.slice(0, -1), replaced);
  replaced.add(place);
  return withoutTemplate(put(tree, path, value), path, replaced);
}

/** Without knowing its channel and its events nobody can say whether a template is good. */
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

function standInAt(path: Path, place: string): unknown {
  if (isSecret(path) && path.at(-1) !== 'headers') return ANY_SECRET;
  return standIn([...VALUES, ...PARTS], place);
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
  return standIn(VALUES, place);
}

function standIn<T>(known: readonly StandIn<T>[], place: string): T | undefined {
  for (const [form, value] of known) {
    const found = form.exec(place);
    if (found !== null) return value(found[1] ?? '0');
  }
  return undefined;
}
