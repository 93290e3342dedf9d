/** No sequence of calls changes a declared subscription, leaks another key's data, or loses a delivery. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { delivery, event } from '../samples.ts';
import { type ApiWorld, startApiWorld } from './api-world.ts';

interface Step {
  readonly who: 'a' | 'b' | 'operator';
  readonly method: string;
  readonly path: string;
  readonly body?: (world: ApiWorld, who: string) => unknown;
}

const ACTIONS: readonly Pick<Step, 'method' | 'path' | 'body'>[] = [
  { method: 'GET', path: '' },
  {
    method: 'PUT',
    path: '',
    body: ({ receiver }, who) => ({ url: `${receiver.url}/private-${who}`, events: ['task.*'], verify: 'none' }),
  },
  { method: 'PATCH', path: '', body: () => ({ events: ['invoice.*'] }) },
  {
    method: 'PATCH',
    path: '',
    body: ({ receiver }, who) => ({ url: `${receiver.url}/private-${who}/2`, verify: 'none' }),
  },
  { method: 'PATCH', path: '', body: () => ({ active: false }) },
  { method: 'DELETE', path: '' },
  { method: 'POST', path: '/pause' },
  { method: 'POST', path: '/resume' },
  { method: 'POST', path: '/rotate' },
  { method: 'POST', path: '/replay', body: () => ({ since: '1d' }) },
  { method: 'POST', path: '/preview' },
  { method: 'GET', path: '/deliveries' },
];

const step: fc.Arbitrary<Step> = fc
  .record({
    who: fc.constantFrom('a' as const, 'b' as const, 'operator' as const),
    name: fc.constantFrom('a-mine', 'b-mine', 'declared', 'shared'),
    action: fc.constantFrom(...ACTIONS),
  })
  .map(({ who, name, action }) => ({ ...action, who, path: `/subscriptions/${name}${action.path}` }));

describe('any sequence of calls', () => {
  it('leaves declared subscriptions, the data of others and deliveries alone', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const world = await startApiWorld();
        try {
          const [a, b] = [await world.makeKey(['subscribe']), await world.makeKey(['subscribe'])];
          const keys = { a: a.token, b: b.token, operator: (await world.makeKey(['operate'])).token };
          const declared = await world.api.subscriptions.get('declared');
          await world.api.events.record([{ event: event('1'), deliveries: [delivery('1', 'declared')] }]);
          const known = new Set<string>();
          for (const { who, method, path, body } of steps) {
            const answer = await world.ask(method, path, body?.(world, who), { key: keys[who] });
            expect(answer.status).toBeLessThan(500);
            const text = JSON.stringify(answer.body) ?? '';
            if (who === 'a') expect(text).not.toContain('private-b');
            if (who === 'b') expect(text).not.toContain('private-a');
            expect(await world.api.subscriptions.get('declared')).toEqual(declared);
            const stored = (await world.api.deliveries.page({ limit: 200 })).deliveries.map(({ id }) => id);
            for (const id of known) expect(stored).toContain(id);
            for (const id of stored) known.add(id);
          }
          expect(world.errors).toEqual([]);
          // What was opened is still delivered, or held for a subscription that is paused.
          await world.ask('POST', '/subscriptions/declared/resume', undefined, { key: keys.operator });
          world.advance(10 * 60_000);
          await world.pump();
          const left = (await world.api.deliveries.page({ subscription: 'declared', limit: 200 })).deliveries;
          expect(left.every(({ status }) => status === 'settled')).toBe(true);
        } finally {
          await world.stop();
        }
      }),
      { numRuns: 12 },
    );
  });
});
