/** `GET /event-types`: a schema for each type, which its example matches. */

import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventTypes } from '../../core/events/catalogue.ts';
import { type ApiWorld, startApiWorld } from './api-world.ts';

let world: ApiWorld;
beforeAll(async () => {
  world = await startApiWorld({
    config: {
      customEvents: [
        {
          type: 'task.archived',
          meaning: 'A task is archived.',
          when: { after: { record: { status: ['Archived'] } } },
        },
      ],
    },
  });
});
afterAll(async () => world.stop());

interface ShownType {
  readonly type: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example: unknown;
}

it('has a strict schema for each type, and the example matches it', async () => {
  const types: readonly ShownType[] = (await world.ask('GET', '/event-types')).body.data;
  expect(types.map(({ type }) => type)).toEqual([...eventTypes.map(({ type }) => type), 'task.archived']);
  // One for all: each would compile the schema of schemas again. The schemas have no ids that could meet.
  const ajv = new Ajv2020({ strict: true, addUsedSchema: false, formats: { date: true, 'date-time': true } });
  for (const { type, schema, example } of types) {
    expect(schema, type).toMatchObject({ type: 'object', properties: { data: expect.anything() } });
    const validate = ajv.compile(schema);
    expect([type, example === null || validate(example), validate.errors ?? null]).toEqual([type, true, null]);
    expect([type, validate({ ...Object(example), type: 'other.type' })]).toEqual([type, false]);
  }
});

it('has the schema also for a key that sees one type only', async () => {
  const { token } = await world.makeKey(['subscribe'], ['milestone.created']);
  const { body } = await world.ask('GET', '/event-types', undefined, { key: token });
  expect(body.data).toMatchObject([
    { type: 'milestone.created', schema: { properties: { type: { enum: ['milestone.created'] } } } },
  ]);
});
