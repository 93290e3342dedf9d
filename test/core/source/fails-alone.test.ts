/** One list that fails while the API answers everything else: its resource is stale, and the source is not unreachable. */

import { afterEach, expect, it } from 'vitest';
import { MINUTE } from '../../../core/model/time.ts';
import { openSimulatorSource } from '../../runtime/simulator-source.ts';

let stop: () => Promise<void>;
afterEach(() => stop());

async function open(names: readonly string[]) {
  const source = await openSimulatorSource(names);
  ({ stop } = source);
  const { account, run, news } = source;
  /** Polls every minute, as `serve` does, and returns the events of the source with their minute. */
  const serve = async (minutes: number) => {
    const lines: string[] = [];
    for (let minute = 1; minute <= minutes; minute++) {
      account.clock.advance(MINUTE);
      await run();
      for (const line of await news()) if (line.startsWith('source.')) lines.push(`${line} ${minute}`);
    }
    return lines;
  };
  return { ...source, serve };
}

it('is reported as stale, once', async () => {
  const { simulator, serve } = await open(['task', 'invoice', 'project']);
  await serve(7);
  simulator.setFaults({ serverError: { resource: 'project' } });
  expect(await serve(60)).toEqual([expect.stringMatching(/^source\.stale main 1\d$/)]);
  simulator.setFaults({ serverError: false });
  expect(await serve(10)).toEqual([]);
});

it('does not hide an outage of the API', async () => {
  const { simulator, serve } = await open(['task', 'invoice', 'project']);
  await serve(7);
  simulator.setFaults({ serverError: { resource: 'project' } });
  await serve(30);
  simulator.setFaults({ serverError: true });
  expect(await serve(15)).toEqual([expect.stringMatching(/^source\.unreachable main/)]);
});

it('is unreachable where no other resource is read', async () => {
  const { simulator, serve } = await open(['project']);
  await serve(7);
  simulator.setFaults({ serverError: { resource: 'project' } });
  expect(await serve(15)).toEqual([expect.stringMatching(/^source\.unreachable main/)]);
});
