/** The measurements side by side, as rows of text. */

import type { Measured } from './measure.ts';

const HEADER = [
  '',
  'accepts by',
  'endpoints',
  'delivered/s',
  'p50 / p99 from accept',
  'p99 from the call',
  'CPU s per 1,000 (burst / steady)',
  'CPU s per idle minute',
  'memory',
];

const UNKNOWN = '-';

/** The rows of a contender follow each other. Only the first has its name. */
export function rivalsTable(measured: readonly Measured[]): string[][] {
  const rows = measured.map((one, index) => {
    const before = measured[index - 1];
    const isFirst = before?.name !== one.name || before.accept !== one.accept;
    return [
      isFirst ? one.name : '',
      isFirst ? one.accept : '',
      String(one.endpoints),
      Math.round(one.deliveredPerSecond).toLocaleString('en'),
      `${one.p50.toFixed(2)} / ${one.p99.toFixed(2)} ms`,
      `${one.callP99.toFixed(1)} ms`,
      `${seconds(one.burstCpu)} / ${seconds(one.steadyCpu)}`,
      seconds(one.idleCpu),
      memoryOf(one),
    ];
  });
  return [HEADER, ...rows];
}

function seconds(value: number | undefined): string {
  return value?.toFixed(2) ?? UNKNOWN;
}

function memoryOf({ memory }: Measured): string {
  if (memory === undefined) return UNKNOWN;
  const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`;
  const rss = `RSS ${megabytes(memory.rss)}`;
  return memory.pss === undefined ? rss : `${rss}, PSS ${megabytes(memory.pss)}`;
}
