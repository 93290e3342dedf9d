/**
 * `rivals`: Tidings beside bare POSTs and, where the environment names running servers, beside Svix and Outpost: the same
 * messages, the same sink, the same table. docs/benchmarks.md explains what can be compared.
 */

import type { Environment } from '../runtime/config/config.ts';
import { table } from '../runtime/terminal/terminal.ts';
import { type Benchmark, type Figure, millis } from './bench.ts';
import { bare } from './rivals/bare.ts';
import type { Contender } from './rivals/contender.ts';
import { type Measured, measure } from './rivals/measure.ts';
import { outpost } from './rivals/outpost.ts';
import { rivalsTable } from './rivals/rivals-table.ts';
import { OUTPOST_VARIABLES, readRivalSettings, SVIX_VARIABLES } from './rivals/settings.ts';
import { svix } from './rivals/svix.ts';
import { tidingsFlushing, tidingsInProcess, tidingsOverHttp } from './rivals/tidings.ts';
import { startSink } from './sink.ts';

const ENDPOINTS = [1, 10];

const MAX_P50_MS: Readonly<Record<number, number>> = { 1: 0.5, 10: 1 };
const MIN_PER_SECOND: Readonly<Record<number, number>> = { 1: 4_000, 10: 8_000 };
const MAX_CALL_P99_MS = 8;
const MAX_CPU_SECONDS = 0.6;

/** The servers that the environment names. */
export function readRivals(environment: Environment): readonly Contender[] {
  const svixSettings = readRivalSettings(SVIX_VARIABLES, environment);
  const outpostSettings = readRivalSettings(OUTPOST_VARIABLES, environment);
  return [...(svixSettings ? [svix(svixSettings)] : []), ...(outpostSettings ? [outpost(outpostSettings)] : [])];
}

/** A wrong address or key should show before the first benchmark runs, not after half an hour. */
export async function checkRivals(environment: Environment): Promise<void> {
  for (const { check } of readRivals(environment)) await check?.();
}

export const rivals: Benchmark = async () => {
  const others = readRivals(process.env);
  const sink = await startSink();
  const measured: Measured[] = [];
  try {
    for (const contender of [bare, tidingsInProcess, tidingsFlushing, tidingsOverHttp, ...others]) {
      for (const endpoints of ENDPOINTS) {
        process.stderr.write(
          `measuring ${contender.name} (accepts by: ${contender.accept}), endpoints: ${endpoints}\n`,
        );
        measured.push(await measure(contender, sink, endpoints));
      }
    }
  } finally {
    await sink.stop();
  }
  const lines = table(rivalsTable(measured));
  const hint = others.length === 0 ? ['Svix and Outpost beside it: docs/benchmarks.md says how to start them.'] : [];
  process.stdout.write(`${[...lines, ...hint].join('\n')}\n\n`);
  return rivalFigures(measured);
};

/** Ours against the bounds that we set ourselves, with bare POSTs of the same run to judge the machine. */
export function rivalFigures(measured: readonly Measured[]): readonly Figure[] {
  return ENDPOINTS.flatMap((endpoints) => {
    const find = ({ name, accept }: Pick<Contender, 'name' | 'accept'>) =>
      measured.find((one) => one.name === name && one.accept === accept && one.endpoints === endpoints);
    const [ours, floor] = [find(tidingsInProcess), find(bare)];
    if (ours === undefined || floor === undefined) return [];
    const suffix = endpoints === 1 ? '1 endpoint' : `${endpoints} endpoints`;
    const maxP50 = MAX_P50_MS[endpoints] ?? Number.NaN;
    const minPerSecond = MIN_PER_SECOND[endpoints] ?? Number.NaN;
    const perSecond = (value: number) => `${Math.round(value).toLocaleString('en')} a second`;
    return [
      {
        name: `rivals (p50, ${suffix})`,
        ours: `commit to arrival at 50 a second: ${millis(ours.p50)}`,
        floor: `bound: ${millis(maxP50)}; bare POSTs: ${millis(floor.p50)}`,
        ratio: ours.p50 / maxP50,
        aim: 1,
      },
      {
        name: `rivals (delivered, ${suffix})`,
        ours: `a burst of 5,000 messages: ${perSecond(ours.deliveredPerSecond)}`,
        floor: `bound: ${perSecond(minPerSecond)}; bare POSTs: ${perSecond(floor.deliveredPerSecond)}`,
        ratio: minPerSecond / ours.deliveredPerSecond,
        aim: 1,
      },
      ...(endpoints === 1 ? cpuFigure(ours, floor) : [callFigure(ours, floor)]),
    ];
  });
}

function callFigure(ours: Measured, floor: Measured): Figure {
  return {
    name: `rivals (p99 from the call, ${ours.endpoints} endpoints)`,
    ours: `call to arrival at 50 a second: ${millis(ours.callP99)}`,
    floor: `bound: ${millis(MAX_CALL_P99_MS)}; bare POSTs: ${millis(floor.callP99)}`,
    ratio: ours.callP99 / MAX_CALL_P99_MS,
    aim: 1,
  };
}

/** None on a system without /proc. */
function cpuFigure({ steadyCpu }: Measured, floor: Measured): readonly Figure[] {
  if (steadyCpu === undefined) return [];
  return [
    {
      name: 'rivals (cpu, 1 endpoint)',
      ours: `1,000 deliveries at 50 a second: ${millis(steadyCpu * 1000)}`,
      floor: `bound: ${millis(MAX_CPU_SECONDS * 1000)}; bare POSTs: ${millis((floor.steadyCpu ?? Number.NaN) * 1000)}`,
      ratio: steadyCpu / MAX_CPU_SECONDS,
      aim: 1,
    },
  ];
}
