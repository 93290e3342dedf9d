/**
 * Gives all property tests one seed, so that a run repeats the run before. `FC_SEED=random` chooses one for each property and
 * a failure prints it; `FC_SEED=NUMBER` repeats that.
 */

import fc from 'fast-check';

const DEFAULT_SEED = 1;

const { FC_SEED = String(DEFAULT_SEED) } = process.env;
if (FC_SEED !== 'random') {
  const seed = Number(FC_SEED);
  if (!Number.isInteger(seed)) throw new Error(`FC_SEED: expected a whole number or 'random', got '${FC_SEED}'`);
  fc.configureGlobal({ seed });
}
