/**
 * Every call of the functions to AWS goes wrong once, in turn: to tables, queue, mail, bus and secrets. What is recorded, carried
 * and taken in the end is what it is when nothing goes wrong. TIDINGS_EVERY_CALL=1 takes all calls, else some from all over.
 */

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AWS_FAULTS, type OneFault } from './faulty-aws.ts';
import { type AwsEnding, playInAws } from './faulty-run.ts';
import { listen } from './lambda-call.ts';

beforeAll(() => {
  listen();
});
afterAll(() => {
  vi.restoreAllMocks();
});

/** Runs in `npm test`; each call has three ways to go wrong. */
const SOME = 30;

/** Most of a run is waiting. */
const AT_ONCE = 4;

function faultsOf(calls: number): OneFault[] {
  const all = Array.from({ length: calls }, (_, call) => AWS_FAULTS.map((kind) => ({ kind, call }))).flat();
  if (process.env.TIDINGS_EVERY_CALL === '1') return all;
  const step = all.length / SOME;
  return Array.from({ length: Math.min(SOME, all.length) }, (_, n) => all[Math.floor(n * step)]).filter(
    (fault) => fault !== undefined,
  );
}

function differences(label: string, clean: AwsEnding, ending: AwsEnding): string[] {
  return [
    ...ending.wrong.map((line) => `${label}: ${line}`),
    ...(['events', 'carried', 'taken'] as const).flatMap((part) => [
      ...clean[part].filter((line) => !ending[part].includes(line)).map((line) => `${label}: ${part}: missing ${line}`),
      ...ending[part].filter((line) => !clean[part].includes(line)).map((line) => `${label}: ${part}: surplus ${line}`),
    ]),
  ];
}

describe('whichever call to AWS goes wrong', () => {
  it('the same events are recorded, carried by one delivery each and taken by the same receivers', async () => {
    const { ending: clean, calls } = await playInAws();
    expect(clean.wrong).toEqual([]);
    expect(clean.events.filter((line) => line.includes(' task.closed '))).toHaveLength(2);
    expect(clean.carried).toHaveLength(6);
    expect(clean.carried.filter((line) => line.endsWith(' settled'))).toEqual(clean.carried);
    expect(clean.taken).toHaveLength(6);
    const used = [
      'AmazonSSM.GetParameter',
      'secretsmanager.GetSecretValue',
      'SendMessageBatchCommand',
      'SendEmail',
      'AWSEvents.PutEvents',
    ];
    expect(calls).toEqual(expect.arrayContaining(used));
    expect(calls.length).toBeGreaterThan(60);
    const faults = faultsOf(calls.length);
    const found: string[] = [];
    for (let from = 0; from < faults.length; from += AT_ONCE) {
      const some = faults.slice(from, from + AT_ONCE).map(async (fault) => {
        const label = `${fault.kind} at call ${fault.call}, ${calls[fault.call]}`;
        const { ending } = await playInAws(fault);
        found.push(...differences(label, clean, ending));
      });
      await Promise.all(some);
    }
    expect(found).toEqual([]);
  }, 600_000);
});
