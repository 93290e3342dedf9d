/** What today makes of a record. Pure: record and rules in, facts out. */

import type { Fields } from '../model/record.ts';
import type { Stage } from '../model/snapshot.ts';

export interface Rules {
  /** Names of task statuses that mean the work is done. */
  readonly closedStatuses: readonly string[];
}

export function stageOf(resource: string, record: Fields, rules: Rules): Stage {
  return resource === 'task' ? taskStage(record, rules) : {};
}

/** Closed is either said by a date or by the name of the status: accounts use one, the other, or both. */
function taskStage(record: Fields, rules: Rules): Stage {
  const { dateclosed, status } = record;
  const closed =
    (typeof dateclosed === 'string' && dateclosed !== '') ||
    (typeof status === 'string' && rules.closedStatuses.includes(status));
  return { closed };
}
