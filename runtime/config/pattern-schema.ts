/**
 * The JSON Schema of `where` and `when`: EventBridge patterns, as far as JSON Schema can express them. Does not match events.
 *
 * Not made from a zod schema: the loader reads patterns with the parser of core/filters, which says what is wrong and where. And
 * zod has no words for exactly one key, for names that do not begin with `$`, and for lists of two or four.
 */

import * as z from 'zod';

type JsonSchema = Readonly<Record<string, unknown>>;

const ref = (name: string) => ({ $ref: `#/$defs/${name}` });
const text = { type: 'string' };
const scalar = { type: ['string', 'number', 'boolean', 'null'] };
const listOf = (items: object) => ({ type: 'array', items, minItems: 1 });
const oneKey = (properties: object) => ({
  type: 'object',
  properties,
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
});

const affix = { anyOf: [text, oneKey({ 'equals-ignore-case': text })] };
const wildcard = { type: 'string', not: { pattern: '\\*\\*' } };
/** A number, or a variable that holds one. */
const number = { anyOf: [{ type: 'number' }, ref('numberVariable')] };
const day = { anyOf: [{ type: 'string', pattern: z.regexes.date.source }, ref('variable')] };
const comparison = (signs: readonly string[]) => ({ enum: signs });
const COMPARISONS = ['=', '<', '<=', '>', '>='];

const tuple = (...items: readonly object[]) => ({
  type: 'array',
  minItems: items.length,
  maxItems: items.length,
  prefixItems: items,
});

/** One or two bounds. */
const bounds = (bound: object) => ({
  anyOf: [
    tuple(comparison(COMPARISONS), bound),
    tuple(comparison(COMPARISONS), bound, comparison(COMPARISONS.slice(1)), bound),
  ],
});

/** `anything-but` also negates lists of texts; every text begins with the empty one, so that is a mistake. */
const negatedAffix = { allOf: [affix, { not: { const: '' } }] };
const negated = (operand: object) => ({ anyOf: [operand, listOf(operand)] });

const anythingBut = {
  anyOf: [
    scalar,
    listOf(scalar),
    oneKey({
      prefix: negated(negatedAffix),
      suffix: negated(negatedAffix),
      'equals-ignore-case': negated(text),
      wildcard: negated(wildcard),
    }),
  ],
};

/** For `$defs` of the config schema. */
export const PATTERN_DEFINITIONS: Readonly<Record<string, JsonSchema>> = {
  pattern: {
    type: 'object',
    description: 'Fields, each with a list of alternatives. All fields must match.',
    minProperties: 1,
    propertyNames: { anyOf: [{ const: '$or' }, { not: { pattern: '^\\$' } }] },
    properties: { $or: { type: 'array', items: ref('pattern'), minItems: 2 } },
    additionalProperties: { anyOf: [ref('alternatives'), ref('pattern')] },
  },
  alternatives: {
    ...listOf({ anyOf: [scalar, ref('operator')] }),
    description: 'One of these must match: plain values or operators.',
  },
  operator: oneKey({
    prefix: affix,
    suffix: affix,
    'equals-ignore-case': text,
    wildcard,
    'anything-but': anythingBut,
    'none-of': ref('alternatives'),
    numeric: bounds(number),
    date: bounds(day),
    exists: { anyOf: [{ type: 'boolean' }, ref('booleanVariable')] },
  }),
};
