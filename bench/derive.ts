/** `derive`: events derived from transitions, against cloning both snapshots of each. */

import { deriveEvents } from '../core/events/derive.ts';
import type { Snapshot, Transition } from '../core/model/snapshot.ts';
import type { FieldSpec } from '../core/resources/field.ts';
import { task } from '../core/resources/task.ts';
import { type Benchmark, millis, timeBoth } from './bench.ts';

const COUNT = 20_000;

export const derive: Benchmark = async () => {
  const transitions = Array.from({ length: COUNT }, (_, index) => transition(String(index + 1)));
  const time = await timeBoth(
    () => transitions.map((transition) => deriveEvents(transition)),
    () => transitions.map(({ before, after }) => [structuredClone(before), structuredClone(after)]),
  );
  return [
    {
      name: 'derive',
      ours: `${COUNT} transitions in ${millis(time.ours)}`,
      floor: `cloning them in ${millis(time.floor)}`,
      ratio: time.ours / time.floor,
      aim: 1,
    },
  ];
};

/** A whole task with every field, closed in the second state. */
function transition(id: string): Transition {
  const record = Object.fromEntries(
    Object.entries<FieldSpec>(task.fields).map(([field, { type }]) => [
      field,
      type === 'number' || type === 'decimal'
        ? 7.5
        : type === 'ids' || type === 'names'
          ? ['2', '9', '14']
          : `${field} of task ${id}`,
    ]),
  );
  const snapshot = (version: number, change: object, closed: boolean): Snapshot => ({
    key: { source: 'main', resource: 'task', id },
    version,
    record: { ...record, ...change },
    stage: { closed },
    deletedAt: null,
    committedAt: '2026-11-14T12:00:00.000Z',
    cause: 'poll',
    occurred: { after: '2026-11-14T11:55:00.000Z', before: '2026-11-14T12:00:00.000Z' },
    nextMoment: null,
  });
  return { before: snapshot(1, { dateclosed: null }, false), after: snapshot(2, { dateclosed: '2026-11-14' }, true) };
}
