/** The messages of the comparison: a new task whose event has a body of 1.5 KB, and the same bytes for the others. */

import { deriveEvents, eventId } from '../../core/events/derive.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';
import type { Instant } from '../../core/model/time.ts';

export const BODY_BYTES = 1_536;

export const EVENT_TYPE = 'task.created';

/** The rest of the body is about 600 bytes. */
const UNPADDED_BYTES = bodyBytes(newTask(0, '', '2026-01-01T00:00:00.000Z'));
const DESCRIPTION = 'word '.repeat(BODY_BYTES).slice(0, BODY_BYTES - UNPADDED_BYTES);

/** A task that did not exist before. */
export function messageTask(number: number, now: Instant): Snapshot {
  return newTask(number, DESCRIPTION, now);
}

export function messageEvent(number: number, now: Instant): TidingsEvent {
  const [event] = deriveEvents({ before: null, after: messageTask(number, now) });
  if (event === undefined) throw new Error('a new task has an event');
  return event;
}

/** The id under which the receiver gets the event of the task. */
export function messageId(task: Snapshot): string {
  return eventId(task, EVENT_TYPE);
}

function newTask(number: number, description: string, now: Instant): Snapshot {
  const id = String(1_000_000 + number);
  return {
    key: { source: 'main', resource: 'task', id },
    version: 1,
    record: { id, title: `Task ${id}`, projectid: '7', description },
    stage: { closed: false },
    deletedAt: null,
    committedAt: now,
    cause: 'poll',
    occurred: { after: null, before: now },
    nextMoment: null,
  };
}

function bodyBytes(task: Snapshot): number {
  return Buffer.byteLength(JSON.stringify(deriveEvents({ before: null, after: task })[0]));
}
