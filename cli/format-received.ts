/** Formats a request received by `tidings listen` as one line. Escapes foreign text before it reaches the terminal. */

import { clip } from '../core/messages/clip.ts';
import { lineOf } from '../core/messages/neutral-message.ts';
import type { TidingsEvent } from '../core/model/event.ts';
import { isJsonObject } from '../core/model/json.ts';
import { formatClock } from '../runtime/terminal/dates.ts';
import type { Terminal } from '../runtime/terminal/terminal.ts';
import type { Received, Verified } from './receiver.ts';

export function formatReceived(received: Received, { paint }: Pick<Terminal, 'paint'>): string {
  const time = paint('dim', formatClock(received.at));
  const id = paint('dim', clip(received.id ?? 'no id', 80));
  if (!received.verified && received.status < 300) {
    return `${time}  ·  ping accepted, not verified: another secret signed it  ${id}`;
  }
  if (!received.verified) {
    return `${time}  ${paint('red', '✗')}  not verified, ${received.code}: ${clip(received.message, 200)}  ${id}`;
  }
  const mark = received.status < 300 ? paint('green', '✔') : paint('yellow', '✗');
  const remarks = listRemarks(received).map((remark) => paint('yellow', `  [${remark}]`));
  return `${time}  ${mark}  ${formatBody(received.event, paint)}${remarks.join('')}  ${id}`;
}

function listRemarks({ status, times, seenBefore, mark, heldVersion, stale }: Verified): readonly string[] {
  return [
    ...(mark === null ? [] : [mark]),
    ...(seenBefore ? ['duplicate: drop it'] : times > 1 ? [`attempt ${times}`] : []),
    ...(stale ? [`older than version ${heldVersion}: drop it`] : []),
    ...(status < 300 ? [] : [`responded ${status}`]),
  ];
}

function formatBody(body: unknown, paint: Terminal['paint']): string {
  if (!isJsonObject(body) || typeof body.type !== 'string') return 'unknown body format';
  const type = paint('bold', clip(body.type, 80));
  const line = lineOfBody({ subject: '', ...body });
  const subject = typeof body.subject === 'string' ? clip(body.subject, 80) : '';
  const version =
    isJsonObject(body.data) && typeof body.data.version === 'number' ? `version ${body.data.version}` : '';
  const where = [subject, version].filter((part) => part !== '').join(', ');
  return [type, line, paint('dim', where)].filter((part) => part !== '').join('  ');
}

/** Empty when the body is not a complete event. */
function lineOfBody(body: object): string {
  try {
    return isCompleteEvent(body) ? lineOf(body) : '';
  } catch {
    // A template may produce a body that only looks like an event.
    return '';
  }
}

/** Whether the body has all fields for a summary line. Pings, `thin` bodies and templated bodies do not. */
function isCompleteEvent(body: object): body is TidingsEvent {
  if (!('type' in body && 'subject' in body && 'data' in body)) return false;
  const { type, data, subject } = body;
  if (typeof type !== 'string' || type === 'tidings.ping') return false;
  if (!isJsonObject(data) || typeof subject !== 'string') return false;
  return (
    isJsonObject(data.record) &&
    isJsonObject(data.previous) &&
    Array.isArray(data.changes) &&
    isJsonObject(data.occurred)
  );
}
