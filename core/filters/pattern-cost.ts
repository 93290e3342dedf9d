/** How much a pattern may cost to match, counted without compiling it. Knows nothing of events: this is the most that one can take. */

import { isJsonObject } from '../model/json.ts';

/** A wildcard may search a long text, and takes about as long as so many other comparisons. */
export const WILDCARD_COMPARISONS = 50;

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
 * counts more.
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
      const steps = { alternatives: 1, comparisons: key.split('.').length };
      return both(
        steps,
        isJsonObject(value) ? sectionCost(value) : { alternatives: 1, comparisons: operatorsOf(value) },
      );
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

function operatorCost(operator: Readonly<Record<string, unknown>>): number {
  return Object.entries(operator).reduce((total, [name, operand]) => {
    if (name === 'none-of') return total + 1 + operatorsOf(operand);
    if (isJsonObject(operand) && name === 'anything-but') return total + operatorCost(operand);
    const operands: readonly unknown[] =
      Array.isArray(operand) && name !== 'numeric' && name !== 'date' ? operand : [operand];
    if (name !== 'wildcard') return total + operands.length;
    return operands.reduce<number>((sum, one) => sum + wildcardCost(one), total);
  }, 0);
}
