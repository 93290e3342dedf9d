/**
 * Every call of the functions to AWS fails once, one per run: to tables, queue, mail, bus and secrets. The final events,
 * deliveries and messages are the same as without faults. TIDINGS_EVERY_CALL=1 tests all calls, otherwise a selection.
 */

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AWS_FAULTS, type OneFault } from './faulty-aws.ts';
import { type AwsEnding, playInAws } from './faulty-run.ts';
import { captureOutput } from './lambda-call.ts';

beforeAll(() => {
  captureOutput();
});
afterAll(() => {
  vi.restoreAllMocks();
});

/** Runs in `npm test`. Each call can fail in three ways. `npm run test:aws` tests all. */
const SOME = 12;

/** Concurrent runs: each mostly waits. */
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

describe('whichever call to AWS fails', () => {
  it('the same events are recorded, delivered once and received by the same receivers', async () => {
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
  }, 1_200_000);
});
