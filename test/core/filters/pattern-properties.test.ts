import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePattern, explainPattern, patternProblems } from '../../../core/filters/pattern.ts';

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

const matches = (pattern: unknown, event: unknown) => compilePattern(pattern)(event);

/** Small ranges of values, so that patterns and events match often. */
const key = fc.constantFrom('a', 'b', 'c');
const scalar = fc.constantFrom<string | number | boolean | null>('x', 'X', 'xy', 'y', '', 0, 1, 2.5, true, false, null);
const text = fc.constantFrom('x', 'X', 'xy', 'y');

const { event } = fc.letrec<{ value: Json; event: { [key: string]: Json } }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    tie('event'),
  ),
  event: fc.dictionary(key, tie('value'), { maxKeys: 3 }),
}));

const likeness = fc.oneof(
  fc.record({ prefix: text }),
  fc.record({ suffix: text }),
  fc.record({ 'equals-ignore-case': text }),
  fc.record({ wildcard: fc.constantFrom('*', 'x*', '*y', 'x') }),
);

const alternative = fc.oneof(
  scalar,
  likeness,
  fc.record({ 'anything-but': fc.oneof(scalar, fc.array(scalar, { minLength: 1, maxLength: 3 }), likeness) }),
  fc.record({ numeric: fc.constantFrom(['=', 1], ['<', 2], ['>', 0, '<=', 2.5]) }),
  fc.record({ exists: fc.boolean() }),
);
const alternatives = fc.array(alternative, { minLength: 1, maxLength: 3 });

type Pattern = Record<string, unknown>;

const plain = fc.dictionary(key, alternatives, { minKeys: 1, maxKeys: 3 });

const withOr = ([fields, one, other]: [Pattern, Pattern, Pattern]): Pattern => ({ ...fields, $or: [one, other] });

/** Patterns one level deeper: these under fields, in the branches of `$or`, or both. */
const deeper = (inner: fc.Arbitrary<Pattern>): fc.Arbitrary<Pattern> => {
  const child = fc.oneof(alternatives, inner);
  return fc.oneof(
    fc.dictionary(key, child, { minKeys: 1, maxKeys: 3 }),
    fc.tuple(fc.dictionary(key, child, { maxKeys: 2 }), inner, inner).map(withOr),
  );
};

/** At most 2 · (2 · 1³)³ = 16 combinations of branches. */
const nested = deeper(deeper(plain));

/** At most 32 combinations of branches, so that two of them in `$or` stay far below the limit. */
const pattern = fc.oneof(
  plain,
  nested,
  fc.dictionary(key, nested, { minKeys: 1, maxKeys: 1 }),
  fc.tuple(fc.dictionary(key, alternatives, { maxKeys: 2 }), nested, nested).map(withOr),
);

/** A pattern with all values of an event. Undefined if there are none. */
function ownPattern(value: Json): unknown {
  if (Array.isArray(value)) return value.map(ownPattern).find((asked) => asked !== undefined);
  if (typeof value !== 'object' || value === null) return [value];
  const asked = Object.entries(value)
    .map(([key, value]) => [key, ownPattern(value)] as const)
    .filter(([, asked]) => asked !== undefined);
  return asked.length === 0 ? undefined : Object.fromEntries(asked);
}

const sure = { numRuns: 500 };

describe('any pattern', () => {
  it('is valid if generated here', () => {
    fc.assert(
      fc.property(pattern, (pattern) => {
        expect(patternProblems(pattern)).toEqual([]);
      }),
    );
  });

  it('made from an event matches it', () => {
    const asked = event
      .map((event) => [ownPattern(event), event] as const)
      .filter(([pattern]) => pattern !== undefined);
    fc.assert(
      fc.property(asked, ([pattern, event]) => {
        expect(matches(pattern, event)).toBe(true);
      }),
      sure,
    );
  });

  it('is explained exactly when it does not match', () => {
    fc.assert(
      fc.property(pattern, event, (pattern, event) => {
        expect(explainPattern(pattern, event).length === 0).toBe(matches(pattern, event));
      }),
      sure,
    );
  });

  it('matches no less with one more alternative', () => {
    fc.assert(
      fc.property(key, alternatives, alternative, event, (key, some, more, event) => {
        if (matches({ [key]: some }, event)) expect(matches({ [key]: [...some, more] }, event)).toBe(true);
      }),
      sure,
    );
  });

  it('matches no more with one more field', () => {
    fc.assert(
      fc.property(pattern, event, alternatives, (pattern, event, more) => {
        if (!matches(pattern, event)) expect(matches({ ...pattern, z: more }, event)).toBe(false);
      }),
      sure,
    );
  });

  it('in $or matches exactly when a branch does', () => {
    fc.assert(
      fc.property(pattern, pattern, event, (one, other, event) => {
        expect(matches({ $or: [one, other] }, event)).toBe(matches(one, event) || matches(other, event));
      }),
      sure,
    );
  });

  it('accepts any JSON as an event', () => {
    fc.assert(
      fc.property(pattern, fc.jsonValue(), (pattern, event) => {
        expect(typeof matches(pattern, event)).toBe('boolean');
        expect(explainPattern(pattern, event)).toBeInstanceOf(Array);
      }),
      sure,
    );
  });
});

describe('anything-but', () => {
  it('is the negation for plain values', () => {
    fc.assert(
      fc.property(fc.array(scalar, { minLength: 1 }), scalar, (values, value) => {
        expect(matches({ a: [{ 'anything-but': values }] }, { a: value })).toBe(!matches({ a: values }, { a: value }));
      }),
      sure,
    );
  });

  it('is the negation of the other operators, too', () => {
    fc.assert(
      fc.property(likeness, scalar, (likeness, value) => {
        expect(matches({ a: [{ 'anything-but': likeness }] }, { a: value })).toBe(
          !matches({ a: [likeness] }, { a: value }),
        );
      }),
      sure,
    );
  });
});

describe('exists', () => {
  it('is either true or false', () => {
    fc.assert(
      fc.property(key, event, (key, event) => {
        const [there, missing] = [true, false].map((exists) => matches({ [key]: [{ exists }] }, event));
        expect(there).toBe(!missing);
      }),
      sure,
    );
  });
});

describe('any value', () => {
  it('is a valid pattern, or has problems with path and message', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (pattern) => {
        const problems = patternProblems(pattern);
        if (problems.length === 0) expect(() => matches(pattern, {})).not.toThrow();
        else expect(() => compilePattern(pattern)).toThrow('pattern: ');
        for (const { message } of problems) expect(message).toMatch(/^(expected .*, got |unknown operator )/s);
      }),
      sure,
    );
  });
});
