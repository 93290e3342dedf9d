/** Describes stores that do not answer, in the responses for monitors. */

import { SECOND } from '../core/model/time.ts';

export interface Unavailable {
  /** For how long. */
  readonly ms: number;
  /** `database is locked`. @default - not known */
  readonly reason?: string;
}

export function describeUnavailable({ ms, reason }: Unavailable): string {
  const why = reason === undefined ? '' : `: ${reason}`;
  return `data: the stores have not answered for ${Math.max(1, Math.round(ms / SECOND))} s${why}`;
}
