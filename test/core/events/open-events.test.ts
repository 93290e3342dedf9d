/** Which types a digest lists for as long as they hold. What it lists is tested with the digests. */

import { expect, it } from 'vitest';
import { openTypes } from '../../../core/events/open-events.ts';
import { cpuMillis } from '../../cpu-time.ts';

const namesOf = (subscription: Parameters<typeof openTypes>[0]) => openTypes(subscription).map(({ type }) => type);

it('lists the states that the events and the digest name', () => {
  const events = ['task.*'];
  expect(namesOf({ events })).toEqual([]);
  expect(namesOf({ events, digest: { at: '08:00', list: 'new' } })).toEqual([]);
  expect(namesOf({ events, digest: { at: '08:00' } })).toEqual(['task.due_soon', 'task.overdue']);
  expect(namesOf({ events: ['invoice.due_soon'], digest: { at: '08:00' } })).toEqual([]);
  expect(namesOf({ events: ['invoice.due_soon'], digest: { at: '08:00', list: 'open' } })).toEqual([
    'invoice.due_soon',
  ]);
});

it('is asked for each event of a message, and costs nothing more with thousands of patterns', () => {
  const events = [...Array.from({ length: 9_800 }, () => 'task.reopened'), 'task.*'];
  const subscription = { events, digest: { at: '08:00' } };
  const from = cpuMillis();
  for (let event = 0; event < 2_000; event++) expect(openTypes(subscription)).toHaveLength(2);
  expect(cpuMillis() - from).toBeLessThan(1_000);
});
