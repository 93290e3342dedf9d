/**
 * Bounds what filters make of values. Liquid counts the items of a list, but not what is in them: a template could let the parts of a list
 * be shared again and again, so that it takes years to write. Nor does it count how long a text is searched, or
 * how long the path is that a filter follows for each item.
 */

import { type Context, defaultOperators, type FilterImplOptions, type Liquid, toValue } from 'liquidjs';

/** Of one value, with all that is in it. A digest of 500 events has less. */
const MAX_ITEMS = 1_000_000;
const MAX_CHARACTERS = 8_000_000;

/** V8's search takes the product of both lengths for some texts. As many characters are compared in a microsecond. */
const COMPARED_PER_UNIT = 100;

/** Filters that look for their first argument in a text. */
const SEARCHING: ReadonlySet<string> = new Set(
  'remove remove_first remove_last replace replace_first replace_last split'.split(' '),
);

/** Filters that follow the path in their first argument for each item. */
const FOLLOWING: ReadonlySet<string> = new Set(
  'find find_index group_by has map reject sort sort_natural sum where'.split(' '),
);

/** A step of a path, such as `a.`, takes a third of a microsecond. */
const FOLLOWED_PER_UNIT = 2;

interface Size {
  /** Values in it, with itself. */
  readonly items: number;
  /** Of all texts and names in it. */
  readonly characters: number;
}

/** Values do not change: what is shared is measured once. */
const sizes = new WeakMap<object, Size>();

function measure(value: unknown): Size {
  const plain: unknown = toValue(value);
  if (typeof plain === 'string') return { items: 1, characters: plain.length };
  if (typeof plain !== 'object' || plain === null) return { items: 1, characters: 0 };
  const known = sizes.get(plain);
  if (known !== undefined) return known;
  const names = Array.isArray(plain) ? [] : Object.keys(plain);
  let items = 1;
  let characters = names.reduce((sum, { length }) => sum + length, 0);
  for (const part of Object.values(plain)) {
    const size = measure(part);
    items += size.items;
    characters += size.characters;
  }
  const size = { items, characters };
  sizes.set(plain, size);
  return size;
}

/** What it takes to write a value, in units of the memory limit. */
export function weightOf(value: unknown): number {
  const { items, characters } = measure(value);
  return typeof value === 'string' ? characters : items + characters;
}

/** Wraps all filters of an engine. */
export function boundFilters(engine: Liquid): void {
  for (const [name, filter] of Object.entries(engine.filters))
    if (filter !== undefined) engine.registerFilter(name, bound(name, filter));
}

type Handler = Extract<FilterImplOptions, (...args: never) => unknown>;

function bound(name: string, filter: FilterImplOptions): FilterImplOptions {
  const handler = typeof filter === 'function' ? filter : filter.handler;
  const bounded: Handler = function (value: unknown, ...args: unknown[]) {
    const { context } = this;
    if (SEARCHING.has(name)) chargeSearch(context, value, args[0]);
    if (FOLLOWING.has(name)) chargePath(context, value, args[0]);
    const result: unknown = handler.call(this, value, ...args);
    return isSteps(result) ? withBoundResult(context, result) : assertBound(context, result);
  };
  return typeof filter === 'function' ? bounded : { ...filter, handler: bounded };
}

/** Liquid runs filters that evaluate expressions step by step. */
const isSteps = (result: unknown): result is Generator<unknown, unknown, unknown> =>
  typeof result === 'object' && result !== null && Symbol.iterator in result && 'next' in result;

function* withBoundResult(context: Context, steps: Generator<unknown, unknown, unknown>) {
  return assertBound(context, yield* steps);
}

function assertBound(context: Context, value: unknown): unknown {
  const { items, characters } = typeof value === 'object' ? measure(value) : { items: 1, characters: 0 };
  // More than any rendering may use: it ends.
  if (items > MAX_ITEMS || characters > MAX_CHARACTERS) context.memoryLimit.use(items + characters);
  return value;
}

function chargeSearch({ memoryLimit }: Context, text: unknown, searched: unknown): void {
  memoryLimit.use(Math.ceil((measure(text).characters * measure(searched).characters) / COMPARED_PER_UNIT));
}

function chargePath({ memoryLimit }: Context, list: unknown, path: unknown): void {
  const plain: unknown = toValue(list);
  const items = Array.isArray(plain) ? plain.length : 1;
  memoryLimit.use(Math.ceil((items * measure(path).characters) / FOLLOWED_PER_UNIT));
}

const { contains: isContained = () => false } = defaultOperators;

/** Liquid's operators. Searching a text counts. */
export const BOUND_OPERATORS: typeof defaultOperators = {
  ...defaultOperators,
  contains(text, searched, context) {
    if (typeof text === 'string') chargeSearch(context, text, searched);
    return isContained(text, searched, context);
  },
};
