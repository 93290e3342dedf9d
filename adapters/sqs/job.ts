/** A job as the body of a message, and back: small JSON that a person can read in the console. Sends nothing. */

import { GiveUp } from '../../core/model/errors.ts';
import type { Job } from '../../core/ports/queue.ts';

export function bodyOf({ delivery, attempt, group }: Job): string {
  return JSON.stringify({ delivery, attempt, group });
}

/** The job of a record as Lambda hands it over. Throws GiveUp for a body that is none. */
export function jobOf({ messageId, body }: { readonly messageId: string; readonly body: string }): Job {
  const found = parsed(body);
  const { delivery, attempt, group } = found ?? {};
  if (typeof delivery === 'string' && typeof attempt === 'number' && typeof group === 'string') {
    return { delivery, attempt, group };
  }
  throw new GiveUp('TIDINGS_JOB_UNREADABLE', `message '${messageId}': expected { delivery, attempt, group } as JSON`);
}

function parsed(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
