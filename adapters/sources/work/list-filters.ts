/** The query parameters of a list. Sends nothing itself. */

import type { Instant } from '../../../core/model/time.ts';
import type { ListFilters } from '../../../core/ports/source-api.ts';

/** The API's dates exclude their own second, as the filters of the port do. */
export function toParameters(filters: ListFilters): Readonly<Record<string, string>> {
  const { order, open, modifiedAfter, modifiedBefore, dueFrom, dueUntil, ids, localIds, projectIds } = filters;
  return {
    ...(open === true ? { status: 'outstanding' } : {}),
    ...(order === undefined ? {} : { sortfield: 'id', sortdir: order === 'ascending' ? 'ASC' : 'DESC' }),
    ...(modifiedAfter === undefined ? {} : { datemodifiedbegin: toDateTime(modifiedAfter) }),
    ...(modifiedBefore === undefined ? {} : { datemodifiedend: toDateTime(modifiedBefore) }),
    ...(dueFrom === undefined ? {} : { dateduebegin: dueFrom }),
    ...(dueUntil === undefined ? {} : { datedueend: dueUntil }),
    ...(ids === undefined ? {} : { id: ids.join(',') }),
    ...(localIds === undefined ? {} : { localid: localIds.join(',') }),
    ...(projectIds === undefined ? {} : { projectid: projectIds.join(',') }),
  };
}

/** `2026-11-14 09:31:07`, in UTC. */
const toDateTime = (instant: Instant) => instant.slice(0, 19).replace('T', ' ');
