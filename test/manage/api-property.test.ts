/**
 * No sequence of calls changes a declared subscription, shows one key what belongs to another, or loses a delivery: commands
 * run against the API and against a model, which is a map of names per key.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Subscription } from '../../core/model/subscription.ts';
import { delivery, event } from '../samples.ts';
import { type Answer, type ApiWorld, startApiWorld } from './api-world.ts';

type Who = 'a' | 'b' | 'operator';

interface ModelSubscription {
  readonly owner: Who;
  isActive: boolean;
}

/** By caller and the name that the caller gave. */
interface Model {
  readonly made: Map<string, ModelSubscription>;
  events: number;
}

interface Real {
  readonly world: ApiWorld;
  readonly keys: Readonly<Record<Who, string>>;
  readonly declared: Subscription | undefined;
  /** Deliveries that were opened: id, and the stored name of the subscription. */
  readonly opened: Map<string, string>;
}

const WHO: readonly Who[] = ['a', 'b', 'operator'];
const NAMES = ['one', 'two', 'declared'] as const;

/** Keys have names of their own; the operator sees the names as they are stored. */
const slot = (who: Who, name: string) => `${who} ${name}`;
const isDeclared = (who: Who, name: string) => who === 'operator' && name === 'declared';

type Action = (model: Model, real: Real, who: Who, name: string) => Promise<void>;

async function ask({ world, keys }: Real, who: Who, method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await world.ask(method, path, body, { key: keys[who] });
  const text = JSON.stringify(answer.body) ?? '';
  for (const other of WHO.filter((one) => one !== who && who !== 'operator')) {
    expect(text).not.toContain(`private-${other}`);
    expect(text).not.toContain(keys[other].slice(4, 20));
  }
  return answer;
}

const urlOf = ({ world }: Real, who: Who) => `${world.receiver.url}/private-${who}`;

const put: Action = async ({ made }, real, who, name) => {
  const body = { url: urlOf(real, who), events: ['task.*'] };
  const { status } = await ask(real, who, 'PUT', `/subscriptions/${name}`, body);
  if (isDeclared(who, name)) expect(status).toBe(409);
  else {
    expect(status).toBe(made.has(slot(who, name)) ? 200 : 201);
    made.set(slot(who, name), { owner: who, isActive: true });
  }
};

/** 404 without a subscription of this name, the given status otherwise. */
const onKnown =
  (
    request: (path: string) => readonly [string, string, unknown?],
    status: number,
    then?: (one: ModelSubscription) => void,
  ): Action =>
  async ({ made }, real, who, name) => {
    const [method, path, body] = request(`/subscriptions/${name}`);
    const answer = await ask(real, who, method, path, body);
    const known = made.get(slot(who, name));
    if (isDeclared(who, name)) expect([200, 202, 409]).toContain(answer.status);
    else expect(answer.status).toBe(known === undefined ? 404 : status);
    if (known !== undefined) then?.(known);
  };

const namesOf = async ({ world }: Real) => new Set((await world.api.subscriptions.list()).map(({ name }) => name));

const remove: Action = async ({ made }, real, who, name) => {
  const before = await namesOf(real);
  const { status } = await ask(real, who, 'DELETE', `/subscriptions/${name}`);
  expect(status).toBe(isDeclared(who, name) ? 409 : 204);
  const removed = before.difference(await namesOf(real));
  expect(removed.size).toBe(made.delete(slot(who, name)) ? 1 : 0);
  // What was not sent to it is dropped, also if it is made again.
  for (const [id, subscription] of real.opened) if (removed.has(subscription)) real.opened.delete(id);
};

const list: Action = async ({ made }, real, who) => {
  const { body } = await ask(real, who, 'GET', '/subscriptions?limit=200');
  const own = [...made.keys()].filter((key) => key.startsWith(`${who} `));
  const others = who === 'operator' ? made.size - own.length + 1 : 0;
  expect(body.data).toHaveLength(own.length + others);
};

/** An event with a delivery for each subscription of the caller, as announce opens it. */
const happen: Action = async (model, { world, opened }, who) => {
  model.events += 1;
  const id = String(model.events);
  const names = (await world.api.subscriptions.list())
    .filter(({ name }) => name === 'declared' || who !== 'operator')
    .map(({ name }) => name);
  const deliveries = names.map((name) => delivery(id, name, { createdAt: world.clock.now() }));
  await world.api.events.record([{ event: event(id, { time: world.clock.now() }), deliveries }]);
  for (const one of deliveries) opened.set(one.id, one.subscription);
};

const deliver: Action = async (_model, { world }) => {
  world.advance(5 * 60_000);
  await world.pump();
};

const ACTIONS: Readonly<Record<string, Action>> = {
  put,
  remove,
  list,
  happen,
  deliver,
  get: onKnown((path) => ['GET', path], 200),
  patchEvents: onKnown((path) => ['PATCH', path, { events: ['invoice.*'] }], 200),
  patchInactive: onKnown(
    (path) => ['PATCH', path, { active: false }],
    200,
    (one) => {
      one.isActive = false;
    },
  ),
  pause: onKnown(
    (path) => ['POST', `${path}/pause`],
    200,
    (one) => {
      one.isActive = false;
    },
  ),
  resume: onKnown(
    (path) => ['POST', `${path}/resume`],
    200,
    (one) => {
      one.isActive = true;
    },
  ),
  rotate: onKnown((path) => ['POST', `${path}/rotate`], 200),
  replay: onKnown((path) => ['POST', `${path}/replay`, { since: '1d' }], 202),
  preview: onKnown((path) => ['POST', `${path}/preview`], 200),
  deliveries: onKnown((path) => ['GET', `${path}/deliveries`], 200),
};

class Command implements fc.AsyncCommand<Model, Real> {
  readonly #action: string;
  readonly #who: Who;
  readonly #name: string;

  constructor(action: string, who: Who, name: string) {
    this.#action = action;
    this.#who = who;
    this.#name = name;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, real: Real): Promise<void> {
    await ACTIONS[this.#action]?.(model, real, this.#who, this.#name);
    const { world, declared, opened } = real;
    expect(world.errors).toEqual([]);
    expect(await world.api.subscriptions.get('declared')).toEqual(declared);
    for (const id of opened.keys()) expect(await world.api.deliveries.get(id)).toBeDefined();
  }

  toString(): string {
    return `${this.#action}(${this.#who}, ${this.#name})`;
  }
}

const command = fc
  .record({
    action: fc.constantFrom(...Object.keys(ACTIONS)),
    who: fc.constantFrom(...WHO),
    name: fc.constantFrom(...NAMES),
  })
  .map(({ action, who, name }) => new Command(action, who, name));

async function open(): Promise<{ readonly model: Model; readonly real: Real }> {
  const world = await startApiWorld();
  const [a, b] = [await world.makeKey(['subscribe']), await world.makeKey(['subscribe'])];
  const keys = { a: a.token, b: b.token, operator: (await world.makeKey(['operate'])).token };
  const declared = await world.api.subscriptions.get('declared');
  return { model: { made: new Map(), events: 0 }, real: { world, keys, declared, opened: new Map() } };
}

describe('any sequence of calls', () => {
  it('leaves declared subscriptions, the data of others and deliveries alone', async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands([command], { maxCommands: 30 }), async (commands) => {
        const { model, real } = await open();
        const { world, opened } = real;
        try {
          await fc.asyncModelRun(() => ({ model, real }), commands);
          // What was opened is delivered once its subscription is active.
          for (const { name } of await world.api.subscriptions.list()) {
            await world.ask('POST', `/subscriptions/${name}/resume`);
          }
          for (let rounds = 0; rounds < 3; rounds++) await deliver(model, real, 'operator', '');
          for (const [id, subscription] of opened) {
            const status = (await world.api.deliveries.get(id))?.status;
            expect([id, subscription, status]).toEqual([id, subscription, 'settled']);
          }
        } finally {
          await world.stop();
        }
      }),
      { numRuns: 25 },
    );
  });
});
