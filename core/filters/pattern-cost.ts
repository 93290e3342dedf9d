/** How much a pattern may cost to match, counted without compiling it. Knows nothing of events: this is the most that one can take. */

import { isJsonObject } from '../model/json.ts';
import { resources } from '../resources/catalogue.ts';
import type { FieldType } from '../resources/field.ts';

/** A wildcard may search a long text, and takes about as long as so many other comparisons. */
export const WILDCARD_COMPARISONS = 50;

/** An operator of a field that is a list is tested on each of its elements: people, tags. */
export const LIST_COMPARISONS = 10;

/** A text in any case with other characters than ASCII is compared character by character: so many take as long as another comparison. */
const CHARACTERS_PER_COMPARISON = 8;

const LIST_TYPES: readonly FieldType[] = ['ids', 'names'];
const LISTS: ReadonlySet<string> = new Set(
  resources.flatMap(({ fields }) =>
    Object.entries(fields).flatMap(([name, { type }]) => (LIST_TYPES.includes(type) ? [name] : [])),
  ),
);

/** Further ones count as one comparison each. */
const MAX_FREE_ASTERISKS = 10;

interface Cost {
  /** The combinations of `$or` branches. */
  readonly alternatives: number;
  /** Of all of them. */
  readonly comparisons: number;
}

const NOTHING: Cost = { alternatives: 1, comparisons: 0 };

/**
 * Each field and each section counts as one, in each combination of `$or` branches, and so does each operator of a field; a wildcard
 * counts more, and so does an operator of a list.
 */
export function countComparisons(pattern: unknown): number {
  return sectionCost(pattern).comparisons;
}

function sectionCost(section: unknown): Cost {
  if (!isJsonObject(section)) return NOTHING;
  return Object.entries(section)
    .map(([key, value]): Cost => {
      if (key === '$or' && Array.isArray(value)) return sum(value.map(sectionCost));
      // `data.record.title` stands for two sections and a field.
      const names = key.split('.');
      const steps = { alternatives: 1, comparisons: names.length };
      if (isJsonObject(value)) return both(steps, sectionCost(value));
      const times = LISTS.has(names.at(-1) ?? '') ? LIST_COMPARISONS : 1;
      return both(steps, { alternatives: 1, comparisons: operatorsOf(value) * times });
    })
    .reduce(both, NOTHING);
}

/** Every alternative of one with every alternative of the other. */
const both = (a: Cost, b: Cost): Cost => ({
  alternatives: a.alternatives * b.alternatives,
  comparisons: a.comparisons * b.alternatives + b.comparisons * a.alternatives,
});

function sum(costs: readonly Cost[]): Cost {
  if (costs.length === 0) return NOTHING;
  return {
    alternatives: costs.reduce((total, { alternatives }) => total + alternatives, 0),
    comparisons: costs.reduce((total, { comparisons }) => total + comparisons, 0),
  };
}

/** Of a list of alternatives. Exact values are looked up together. */
function operatorsOf(alternatives: unknown): number {
  if (!Array.isArray(alternatives)) return 0;
  return alternatives.reduce<number>((total, one) => total + (isJsonObject(one) ? operatorCost(one) : 0), 0);
}

/** Each part between two asterisks is searched for. */
function wildcardCost(wildcard: unknown): number {
  const asterisks = typeof wildcard === 'string' ? wildcard.split('*').length - 1 : 0;
  return WILDCARD_COMPARISONS + Math.max(0, asterisks - MAX_FREE_ASTERISKS);
}

const anyCaseCost = (text: string) =>
  /[^\0-\x7f]/.test(text) ? 1 + Math.floor(text.length / CHARACTERS_PER_COMPARISON) : 1;

function operandCost(name: string, operand: unknown): number {
  if (name === 'wildcard') return wildcardCost(operand);
  const text = isJsonObject(operand) ? operand['equals-ignore-case'] : operand;
  const isAnyCase = isJsonObject(operand) || name === 'equals-ignore-case';
  return isAnyCase && typeof text === 'string' ? anyCaseCost(text) : 1;
}

function operatorCost(operator: Readonly<Record<string, unknown>>): number {
  return Object.entries(operator).reduce((total, [name, operand]) => {
    if (name === 'none-of') return total + 1 + operatorsOf(operand);
    if (isJsonObject(operand) && name === 'anything-but') return total + operatorCost(operand);
    const operands: readonly unknown[] =
      Array.isArray(operand) && name !== 'numeric' && name !== 'date' ? operand : [operand];
    return operands.reduce<number>((sum, one) => sum + operandCost(name, one), total);
  }, 0);
}
