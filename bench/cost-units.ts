/**
 * `cost-units`: the units and bytes that `tidings cost` reckons with, counted on real tables and held against the figures
 * of runtime/cost/measured.ts. Where a figure here is missed, the estimate is too low, and measured.ts has to be mended.
 */

import { LEDGER_DEFINITION, SNAPSHOTS_DEFINITION } from '../adapters/dynamodb/tables.ts';
import {
  FINGERPRINTS_A_READ,
  MEASURED_BYTES,
  MEASURED_UNITS,
  RECORDS_A_PART,
  RECORDS_A_READ,
} from '../runtime/cost/measured.ts';
import type { Benchmark, Figure } from './bench.ts';
import {
  bytesOf,
  INVOICES,
  lookAgain,
  measurePolling,
  openWorld,
  QUEUE_BATCH,
  STREAM_BATCH,
  spend,
  TASKS,
  type World,
} from './cost-world.ts';
import type { Units } from './metered.ts';

/** What a step took, and what the estimate reckons for the same. */
interface Counted {
  readonly step: string;
  readonly took: Pick<Units, 'read' | 'write'>;
  readonly reckoned: Pick<Units, 'read' | 'write'>;
}

const less = (a: Units, b: Units): Units => ({
  read: a.read - b.read,
  write: a.write - b.write,
  index: a.index - b.index,
  upkeep: a.upkeep - b.upkeep,
});
const times = ({ read, write }: Pick<Units, 'read' | 'write'>, by: number) => ({ read: read * by, write: write * by });
const sum = (...parts: readonly Pick<Units, 'read' | 'write'>[]) => ({
  read: parts.reduce((all, { read }) => all + read, 0),
  write: parts.reduce((all, { write }) => all + write, 0),
});

function countedPolling({ idle, delta, open, sweep, small }: Awaited<ReturnType<typeof measurePolling>>): Counted[] {
  const { idlePoll, scan, sweep: whole } = MEASURED_UNITS;
  const read = (records: number) => sum(idlePoll, whole, { read: records / RECORDS_A_READ, write: 0 });
  return [
    { step: 'a poll with nothing due', took: idle, reckoned: idlePoll },
    { step: 'a delta that finds nothing', took: delta, reckoned: sum(idlePoll, scan) },
    { step: 'the open invoices', took: open, reckoned: read(INVOICES) },
    { step: `a sweep of ${INVOICES}`, took: small, reckoned: read(INVOICES) },
    { step: `a sweep of ${TASKS}`, took: sweep, reckoned: read(TASKS) },
  ];
}

type Spent = Awaited<ReturnType<typeof spend>>;

function countedChanges(spent: Spent, changes: number, receivers: number, delta: Units): Counted[] {
  const { found, announceBatch, event, opened, deliverBatch, delivered } = MEASURED_UNITS;
  const deliveries = changes * receivers;
  const batches = Math.ceil(deliveries / QUEUE_BATCH);
  const of = `${changes} changed, ${receivers} receivers each`;
  return [
    { step: `poll: ${of}`, took: spent.found, reckoned: sum(delta, times(found, changes)) },
    {
      step: `announce: ${of}`,
      took: spent.announced,
      reckoned: sum(announceBatch, times(event, changes), times(opened, deliveries)),
    },
    {
      step: `deliver: ${of}`,
      took: spent.delivered,
      reckoned: sum(times(deliverBatch, batches), times(delivered, deliveries)),
    },
  ];
}

function reckonedSweep(changes: number): Counted['reckoned'] {
  const { swept, part } = MEASURED_UNITS;
  const fingerprints = { read: TASKS / FINGERPRINTS_A_READ, write: 0 };
  return sum(times(swept, changes), times(part, Math.min(changes, TASKS / RECORDS_A_PART)), fingerprints);
}

/** The account is made once, and each step builds on the one before. */
async function measure(
  world: World,
): Promise<{ counted: Counted[]; bytes: Record<keyof typeof MEASURED_BYTES, number> }> {
  const { client, tables, ledger, turns, units, look } = world;
  const subscribe = (name: string) => {
    const to = { http: { url: `https://${name}.example.com/hook`, secret: '${OPS_SECRET}' } };
    return ledger.saveSubscription({ name, events: ['task.updated'], to, declared: false });
  };
  const kept = async () => (await bytesOf(client, tables.ledger, LEDGER_DEFINITION)).bytes;
  const polling = await measurePolling(world);
  const takeTurn = (now: string) => turns.take('ops', { turn: 1, until: now }, now);
  await takeTurn(world.clock.now());
  world.later();
  const turn = await units(() => takeTurn(world.clock.now()));
  world.stream.take();
  const { bytes, items } = await bytesOf(client, tables.snapshots, SNAPSHOTS_DEFINITION);
  const record = (bytes + (await kept())) / items;
  const many = STREAM_BATCH;
  const atFirst = await kept();
  const unheard = await spend(world, many);
  const event = ((await kept()) - atFirst) / many;
  const sweptMany = await units(() => look('task', true));
  await subscribe('one');
  const alone = await spend(world, 1);
  const sweptOne = await units(() => look('task', true));
  const before = await kept();
  const heard = await spend(world, many);
  const delivery = ((await kept()) - before) / many - event;
  const again = await lookAgain(world, many);
  await subscribe('two');
  const twice = await spend(world, many);
  return {
    counted: [
      ...countedPolling(polling),
      { step: 'a turn of a rate', took: turn, reckoned: MEASURED_UNITS.turn },
      ...countedChanges(unheard, many, 0, polling.delta),
      ...countedChanges(alone, 1, 1, polling.delta),
      ...countedChanges(heard, many, 1, polling.delta),
      ...countedChanges(twice, many, 2, polling.delta),
      {
        step: `the next delta: ${many} changed`,
        took: less(again, polling.delta),
        reckoned: times(MEASURED_UNITS.again, many),
      },
      { step: 'the next sweep: 1 changed', took: less(sweptOne, polling.sweep), reckoned: reckonedSweep(1) },
      { step: `the next sweep: ${many} changed`, took: less(sweptMany, polling.sweep), reckoned: reckonedSweep(many) },
    ],
    bytes: { record, event, delivery },
  };
}

/** Nothing of nothing is no miss. */
const ratio = (took: number, reckoned: number) => (took <= 0 ? 0 : took / reckoned);

export const costUnits: Benchmark = async () => {
  const world = await openWorld();
  try {
    const { counted, bytes } = await measure(world);
    const told = ({ read, write }: Counted['took']) => `${read.toFixed(1)} read, ${write.toFixed(1)} write`;
    const units: Figure[] = counted.map(({ step, took, reckoned }) => ({
      name: `cost-units (${step})`,
      ours: told(took),
      floor: told(reckoned),
      ratio: Math.max(ratio(took.read, reckoned.read), ratio(took.write, reckoned.write)),
      aim: 1,
    }));
    const sizes: Figure[] = (['record', 'event', 'delivery'] as const).map((what) => ({
      name: `cost-units (bytes of a ${what})`,
      ours: bytes[what].toFixed(0),
      floor: String(MEASURED_BYTES[what]),
      ratio: bytes[what] / MEASURED_BYTES[what],
      aim: 1,
    }));
    return [...units, ...sizes];
  } finally {
    await world.close();
  }
};
