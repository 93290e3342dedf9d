/** Puts the responses of one poll in the order in which they were received. */

import type { Observation, RecordedResponse } from './observation.ts';

/** One response of a scan. */
export interface Receipt {
  readonly observation: Observation;
  /** The place of the response in its observation. */
  readonly index: number;
  /** Undefined: the scan received none. */
  readonly response: RecordedResponse | undefined;
  readonly isLast: boolean;
}

/**
 * The direct read of what is due belongs to the observation of an earlier scan, and other scans ran in between. The account
 * may change between any two requests: a record that one scan was shown may be deleted before that read.
 */
export function inOrderOfReceipt(observations: readonly Observation[]): readonly Receipt[] {
  const receipts = observations.flatMap((observation): readonly Receipt[] => {
    const { responses } = observation;
    if (responses.length === 0) return [{ observation, index: 0, response: undefined, isLast: true }];
    return responses.map((response, index) => ({
      ...{ observation, index, response },
      isLast: index === responses.length - 1,
    }));
  });
  return receipts.toSorted((a, b) => (a.response?.seq ?? 0) - (b.response?.seq ?? 0));
}
