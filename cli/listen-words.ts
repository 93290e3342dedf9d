/** What `tidings listen` says of a request, on one line whatever it held. Foreign text never reaches a terminal as it came. */

import { clip } from '../core/messages/clip.ts';
import { lineOf } from '../core/messages/neutral-message.ts';
import type { TidingsEvent } from '../core/model/event.ts';
import { sayClock } from './dates.ts';
import { isObject, type Received, type Verified } from './receiver.ts';
import type { Terminal } from './terminal.ts';

export function sayReceived(received: Received, { paint }: Pick<Terminal, 'paint'>): string {
  const time = paint('dim', sayClock(received.at));
  const id = paint('dim', clip(received.id ?? 'no id', 80));
  if (!received.verified) {
    return `${time}  ${paint('red', '✗')}  not verified, ${received.code}: ${clip(received.message, 200)}  ${id}`;
  }
  const mark = received.status < 300 ? paint('green', '✔') : paint('yellow', '✗');
  const remarks = remarksOf(received).map((remark) => paint('yellow', `  [${remark}]`));
  return `${time}  ${mark}  ${sayBody(received.event, paint)}${remarks.join('')}  ${id}`;
}

function remarksOf({ status, times, seenBefore, mark, heldVersion, stale }: Verified): readonly string[] {
  return [
    ...(mark === null ? [] : [mark]),
    ...(seenBefore ? ['seen before: drop it'] : times > 1 ? [`try ${times}`] : []),
    ...(stale ? [`older than version ${heldVersion}: drop it`] : []),
    ...(status < 300 ? [] : [`answered ${status}`]),
  ];
}

function sayBody(body: unknown, paint: Terminal['paint']): string {
  if (!isObject(body) || typeof body.type !== 'string') return 'a body of another shape';
  const type = paint('bold', clip(body.type, 80));
  const line = lineOfBody({ subject: '', ...body });
  const subject = typeof body.subject === 'string' ? clip(body.subject, 80) : '';
  const version = isObject(body.data) && typeof body.data.version === 'number' ? `version ${body.data.version}` : '';
  const where = [subject, version].filter((part) => part !== '').join(', ');
  return [type, line, paint('dim', where)].filter((part) => part !== '').join('  ');
}

/** Empty when there is too little of it. */
function lineOfBody(body: object): string {
  try {
    return isTold(body) ? lineOf(body) : '';
  } catch {
    // A template may make a body that has the shape of an event and not its contents.
    return '';
  }
}

/** Whether there is enough of it for a line: not so of pings, of the format `thin`, and of bodies from templates. */
function isTold(body: object): body is TidingsEvent {
  if (!('type' in body && 'subject' in body && 'data' in body)) return false;
  const { type, data, subject } = body;
  if (typeof type !== 'string' || type === 'tidings.ping') return false;
  if (!isObject(data) || typeof subject !== 'string') return false;
  return isObject(data.record) && isObject(data.previous) && Array.isArray(data.changes) && isObject(data.occurred);
}
