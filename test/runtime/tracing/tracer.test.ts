/** The tracer: which spans it makes, and that it never stands in the way of the work. */

import { describe, expect, it } from 'vitest';
import { deriveEvents } from '../../../core/events/derive.ts';
import { openDelivery } from '../../../core/model/delivery.ts';
import { DAY, fixedClock, MINUTE, plus, SECOND } from '../../../core/model/time.ts';
import { type TraceSpan, traceOfEvent, traceOfSnapshot, traceparentOf } from '../../../core/model/trace.ts';
import type { SnapshotStore } from '../../../core/ports/snapshot-store.ts';
import type { SpanExporter } from '../../../core/ports/span-exporter.ts';
import { createTracer } from '../../../runtime/tracing/tracer.ts';
import { event, NOON, snapshot } from '../../samples.ts';

const collect = () => {
  const spans: TraceSpan[] = [];
  const batches: number[] = [];
  const exporter: SpanExporter = {
    async export(more) {
      batches.push(more.length);
      spans.push(...more);
    },
  };
  return { spans, batches, exporter };
};

const attempt = { number: 1, at: NOON, ms: 40, outcome: 'accepted', status: 204 } as const;

describe('the id of a trace', () => {
  const before = snapshot('812');
  const after = snapshot('812', { version: 9, record: { ...before.record, title: 'Another' } });

  it('is the same for a snapshot and every event of it, and another for every other change', () => {
    const events = deriveEvents({ before, after });
    expect(events.length).toBeGreaterThan(0);
    for (const one of events) expect(traceOfEvent(one)).toBe(traceOfSnapshot(after));
    const others = [
      { ...after, version: 10 },
      { ...after, committedAt: plus(NOON, 1) },
      { ...after, key: { ...after.key, source: 'other' } },
    ];
    expect(new Set([after, ...others].map(traceOfSnapshot)).size).toBe(4);
  });

  it('starts with the second of the commit, as X-Ray expects it, and is valid in traceparent', () => {
    const seconds = Math.floor(Date.parse(after.committedAt) / 1000);
    expect(Number.parseInt(traceOfSnapshot(after).slice(0, 8), 16)).toBe(seconds);
    expect(traceparentOf(event('1'), 'dlv_1', NOON)).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });
});

describe('the tracer', () => {
  it('makes spans of what was committed, and of no conflict and no baseline', async () => {
    const { spans, exporter } = collect();
    const tracer = createTracer({ exporter, clock: fixedClock(NOON) });
    const writes = [
      { snapshot: snapshot('1', { cause: 'poll' }), expected: 0 },
      { snapshot: snapshot('2', { cause: 'poll' }), expected: 0 },
      { snapshot: snapshot('3', { cause: 'baseline' }), expected: 0 },
    ];
    const store: Pick<SnapshotStore, 'commit'> = { commit: async () => ['committed', 'conflict', 'committed'] };
    expect(await tracer.traceCommits(store).commit(writes)).toEqual(['committed', 'conflict', 'committed']);
    expect(await tracer.flush()).toEqual([]);
    expect(spans.map(({ name, attributes }) => [name, attributes['tidings.change']])).toEqual([
      ['poll', 'main/task/1 v1'],
      ['commit', 'main/task/1 v1'],
    ]);
  });

  it('begins with reading the row, and at most a quarter of an hour before the commit', async () => {
    const { spans, exporter } = collect();
    const tracer = createTracer({ exporter, clock: fixedClock(NOON) });
    const readAt = (before: string) => ({ occurred: { after: null, before }, cause: 'poll' }) as const;
    const writes = [plus(NOON, -4 * SECOND), plus(NOON, -3 * DAY), plus(NOON, SECOND)].map((before, at) => ({
      snapshot: snapshot(String(at), readAt(before)),
      expected: 0,
    }));
    const store: Pick<SnapshotStore, 'commit'> = { commit: async () => writes.map(() => 'committed' as const) };
    await tracer.traceCommits(store).commit(writes);
    await tracer.flush();
    const starts = spans.filter(({ name }) => name === 'poll').map(({ start }) => start);
    expect(starts).toEqual([plus(NOON, -4 * SECOND), plus(NOON, -15 * MINUTE), NOON]);
  });

  it('shows a group in the trace of each of its events, and the request once', async () => {
    const { spans, exporter } = collect();
    const tracer = createTracer({ exporter, clock: fixedClock(NOON) });
    const events = ['1', '2'].map((id) => event(id, { subject: `task/${id}` }));
    const delivery = { ...openDelivery(event('1'), 'ops', NOON), attempts: [attempt] };
    tracer.delivered({ delivery, attempt, events, channel: 'slack' });
    await tracer.flush();
    expect(spans.map(({ name, trace }) => [name, trace])).toEqual(
      [
        ['queue', 0],
        ['deliver', 0],
        ['request', 0],
        ['queue', 1],
        ['deliver', 1],
      ].map(([name, at]) => [name, traceOfEvent(events[Number(at)] ?? event('x'))]),
    );
  });

  it('has no request where nothing was sent', async () => {
    const { spans, exporter } = collect();
    const tracer = createTracer({ exporter, clock: fixedClock(NOON) });
    const skipped = { ...attempt, outcome: 'skipped' } as const;
    tracer.delivered({ delivery: openDelivery(event('1'), 'ops', NOON), attempt: skipped, events: [event('1')] });
    await tracer.flush();
    expect(spans.map(({ name }) => name)).toEqual(['queue', 'deliver']);
  });

  it('sends batches of 50, and drops what is too much to keep', async () => {
    const { batches, exporter } = collect();
    const tracer = createTracer({ exporter, clock: fixedClock(NOON), maxSpans: 120 });
    tracer.announced(
      Array.from({ length: 130 }, (_, at) => event(String(at))),
      NOON,
    );
    expect(await tracer.flush()).toEqual(['10 spans were dropped: more than 120 were waiting']);
    expect(batches.toSorted()).toEqual([20, 50, 50]);
    expect(await tracer.flush()).toEqual([]);
  });

  it('reports what could not be sent, and does not throw', async () => {
    const exporter: SpanExporter = { export: () => Promise.reject(new Error('503 from collector')) };
    const tracer = createTracer({ exporter, clock: fixedClock(NOON) });
    tracer.announced([event('1')], NOON);
    expect(await tracer.flush()).toEqual(['1 spans were not sent: 503 from collector']);
    expect(await tracer.flush()).toEqual([]);
  });
});
