import { expect, it } from 'vitest';
import { ConfigError } from '../../core/model/errors.ts';
import { fixedClock } from '../../core/model/time.ts';
import { traceOfEvent } from '../../core/model/trace.ts';
import { jobFor } from '../../core/ports/queue.ts';
import { openServiceLog } from '../../service/service-log.ts';
import { delivery, event, NOON } from '../samples.ts';

function openJsonLog() {
  const lines: string[] = [];
  const terminal = { out: (line: string) => lines.push(line), err: () => {}, paint: () => '', progress: () => {} };
  const log = openServiceLog('json', terminal, fixedClock(NOON));
  return { log, parsed: () => lines.map((line) => JSON.parse(line)) };
}

it('writes one JSON object per line with level, message and timestamp, also for a text of several lines', () => {
  const { log, parsed } = openJsonLog();
  log.note('one');
  log.warn('two');
  log.error('reload refused', new ConfigError('tidings.yaml', [{ path: 'a', message: 'expected b' }]));
  log.error('request failed', new Error('no such table'));
  expect(parsed()).toEqual([
    { level: 'INFO', message: 'one', timestamp: NOON },
    { level: 'WARN', message: 'two', timestamp: NOON },
    {
      level: 'ERROR',
      message: 'reload refused',
      timestamp: NOON,
      error: { code: 'TIDINGS_CONFIG_INVALID', message: 'tidings.yaml: 1 problem\n  a: expected b' },
    },
    {
      level: 'ERROR',
      message: 'request failed',
      timestamp: NOON,
      error: { code: 'TIDINGS_UNEXPECTED', message: 'no such table' },
    },
  ]);
});

it('logs events and attempts by their ids, without the contents of records', () => {
  const { log, parsed } = openJsonLog();
  const watcher = log.watch({ sources: [] });
  const closed = event('1', { type: 'task.closed' });
  watcher.announced?.([closed]);
  const attempt = {
    number: 2,
    at: NOON,
    ms: 12,
    outcome: 'retry',
    code: 'TIDINGS_HTTP_STATUS',
    message: '503',
    status: 503,
  } as const;
  watcher.delivered?.({
    delivery: delivery(closed.id, 'ops', { dueAt: NOON }),
    attempt,
    events: [closed],
    channel: 'http',
  });
  const [announced, delivered] = parsed();
  expect(announced).toMatchObject({
    message: 'announced',
    events: [{ id: closed.id, type: 'task.closed', subject: closed.subject }],
  });
  expect(delivered).toMatchObject({
    level: 'WARN',
    message: 'delivered',
    subscription: 'ops',
    channel: 'http',
    events: [closed.id],
    attempt: 2,
    outcome: 'retry',
    status: 503,
    nextAttemptAt: NOON,
    error: { code: 'TIDINGS_HTTP_STATUS', message: '503' },
  });
  expect(JSON.stringify([announced, delivered])).not.toContain('"record"');
});

it('says why an attempt was postponed, and nothing about other jobs without an attempt', () => {
  const { log, parsed } = openJsonLog();
  const watcher = log.watch({ sources: [] });
  const job = jobFor(delivery('1', 'ops'));
  watcher.unattempted?.(job, { kind: 'postponed', until: NOON, because: 'day-start' });
  watcher.unattempted?.(job, { kind: 'stale', because: 'outdated' });
  watcher.unattempted?.(job, { kind: 'held' });
  const { delivery: id, attempt } = job;
  expect(parsed()).toMatchObject([
    {
      level: 'INFO',
      message: 'postponed',
      delivery: id,
      subscription: 'ops',
      attempt,
      because: 'day-start',
      nextAttemptAt: NOON,
    },
  ]);
});

it('names the trace of an event and of an attempt, if the config has tracing', () => {
  const { log, parsed } = openJsonLog();
  const watcher = log.watch({ sources: [], tracing: { otlp: 'http://localhost:4318/v1/traces', service: 'tidings' } });
  const closed = event('1', { type: 'task.closed' });
  watcher.announced?.([closed]);
  const attempt = { number: 1, at: NOON, ms: 12, outcome: 'accepted' } as const;
  watcher.delivered?.({ delivery: delivery(closed.id, 'ops'), attempt, events: [closed] });
  const trace = traceOfEvent(closed);
  expect(parsed()).toMatchObject([{ events: [{ id: closed.id, trace }] }, { events: [closed.id], traces: [trace] }]);
});

it('logs what was given up as an error, unless its subscription was removed', () => {
  const { log, parsed } = openJsonLog();
  const watcher = log.watch({ sources: [] });
  const failed = { delivery: delivery('1', 'ops', { status: 'failed', dueAt: null }), events: [event('1')] };
  for (const code of ['TIDINGS_HTTP_GONE', 'TIDINGS_DELIVERY_SUBSCRIPTION_GONE'])
    watcher.delivered?.({ ...failed, attempt: { number: 1, at: NOON, ms: 1, outcome: 'gave-up', code } });
  expect(parsed()).toMatchObject([{ level: 'ERROR' }, { level: 'INFO', outcome: 'gave-up' }]);
});
