/** Names the zone of the times that a command prints. On stderr: the lines on stdout are the list. */

import type { Terminal } from '../runtime/terminal/terminal.ts';

/** Times in UTC carry a Z, and need no note. */
export function noteZone(zone: string, { err, paint }: Terminal): void {
  if (zone !== 'UTC') err(paint('dim', `times in ${zone}`));
}
