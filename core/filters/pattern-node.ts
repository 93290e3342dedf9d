/** The nodes of a parsed pattern. */

import type { Scalar, Test } from './pattern-operators.ts';

/** Matches when all fields and sections match, and one branch of each `$or`. */
export interface Section {
  readonly kind: 'section';
  readonly path: readonly string[];
  readonly children: readonly (readonly [key: string, Field | Section])[];
  /** The branches of `$or`; empty without one. */
  readonly branches: readonly Section[];
}

/** A leaf of the pattern: matches when one of its alternatives does. */
export interface Field {
  readonly kind: 'field';
  readonly path: readonly string[];
  readonly values: ReadonlySet<Scalar>;
  readonly tests: readonly Test[];
  /** True when the absence of the field is among the alternatives: `exists: false`. */
  readonly absent: boolean;
  /** `none-of`: each matches when no value of the field does. */
  readonly excluded: readonly Excluded[];
  /** All alternatives: `'Closed' or text beginning with 'Done'`. */
  readonly description: string;
}

/** Values and tests that no value of a field may meet. */
export type Excluded = Pick<Field, 'values' | 'tests' | 'description'>;
