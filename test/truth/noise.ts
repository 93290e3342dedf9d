/**
 * The truth run `noise`: for a month, only names of other records and volatile fields change, the token changes roles, and dates,
 * amounts and empty values change their format. Every event except the time-driven ones is false.
 */

import { openDatabase } from '../../adapters/sqlite/database.ts';
import { eventTypeOf } from '../../core/events/catalogue.ts';
import { HOUR } from '../../core/model/time.ts';
import { parseConfig } from '../../runtime/config/load.ts';
import { openEmbedded } from '../../runtime/embedded/embedded.ts';
import { announceAll } from '../../runtime/embedded/pipeline.ts';
import { pollCycle } from '../../runtime/poll-cycle.ts';
import { startSimulator } from '../../simulator/simulator.ts';

export interface NoiseOptions {
  readonly tasks: number;
  readonly days: number;
  /** Hours between two polls. */
  readonly every: number;
}

export interface NoiseReport {
  readonly records: number;
  /** Journal entries, none of them about a task or an invoice. */
  readonly changes: number;
  readonly scans: number;
  readonly requests: number;
  /** Events that should not exist. */
  readonly unexpected: readonly string[];
  readonly seconds: number;
}

const OFF = ['project', 'client', 'person', 'expense', 'document', 'group', 'projectmodule'];

export async function runNoise({ tasks, days, every }: NoiseOptions): Promise<NoiseReport> {
  const begun = performance.now();
  const simulator = await startSimulator({
    ...{ seed: 11, tasks, now: '2024-02-05T06:00:00.000Z', speed: 0, quota: 10_000_000 },
  });
  const { account } = simulator;
  const [token = ''] = simulator.tokens.Administrator;
  const resources = Object.fromEntries(OFF.map((name) => [name, 'off']));
  const source = { baseUrl: simulator.url, token, resources, quota: { perMinute: 100_000 } };
  const embedded = await openEmbedded({
    config: parseConfig('noise.json', JSON.stringify({ source }), {}),
    database: openDatabase(':memory:'),
    environment: {},
    clock: { now: () => new Date(account.clock.now()).toISOString() },
    holder: 'noise',
    random: () => 0.5,
  });
  const unexpected: string[] = [];
  let scans = 0;
  const pollOnce = async () => {
    const [config] = embedded.config.sources;
    if (config === undefined) throw new Error('no source');
    scans += (await pollCycle(embedded, config, {})).scans.length;
    await announceAll(embedded, {
      announced: (events) => {
        for (const { type, subject } of events)
          if (eventTypeOf(type)?.byTime !== true && type !== 'source.role_changed')
            unexpected.push(`${type} ${subject}`);
      },
    });
  };
  try {
    // Closed by their status alone, as in accounts that do not use closing dates.
    for (const { id, dateclosed } of account.list('task')) {
      if (dateclosed !== null && dateclosed !== '') account.update('task', Number(id), { dateclosed: '' });
    }
    await pollOnce();
    // Drop the event of the baseline.
    unexpected.splice(0);
    for (let day = 0; day < days; day++) {
      for (const name of ['project', 'client'] as const) {
        const ids = account.list(name).map(({ id }) => Number(id));
        for (const id of ids.filter((_, at) => at % 5 === day % 5))
          account.rename(name, id, `${name} ${id}, day ${day}`);
      }
      account.update('person', 2, { lastname: `Day${day}` });
      const closed = account.list('taskstatus').find((status) => status.closed === 't');
      account.update('taskstatus', Number(closed?.id), { name: day % 3 === 0 ? 'Closed' : `Done, day ${day}` });
      simulator.setQuirks({
        dates: (['plain', 'zero', 'timed'] as const)[day % 3],
        amounts: day % 4 < 2 ? 'plain' : 'grouped',
        blanks: (['mixed', 'null', 'empty'] as const)[day % 3],
      });
      simulator.setRole(token, day % 2 === 0 ? 'Executive' : undefined);
      for (let hour = 0; hour < 24; hour += every) {
        account.clock.advance(every * HOUR);
        await pollOnce();
      }
    }
    simulator.setRole(token, undefined);
    account.clock.advance(7 * HOUR);
    await pollOnce();
    return {
      records: account.list('task').length + account.list('invoice').length,
      changes: account.journal.last,
      scans,
      requests: embedded.sources.get('main')?.api.requests() ?? 0,
      unexpected,
      seconds: Math.round((performance.now() - begun) / 100) / 10,
    };
  } finally {
    await embedded.close();
    await simulator.stop();
  }
}
