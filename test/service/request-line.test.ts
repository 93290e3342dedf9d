/** Thousands of requests that arrive together: in which order they are begun. */

import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createRequestLine } from '../../service/request-line.ts';

it('begins them in order, and those of another line do not wait for them', async () => {
  const [monitors, others] = [createRequestLine(), createRequestLine()];
  const begun: string[] = [];
  const work = (name: string) => () => {
    const from = performance.now();
    while (performance.now() - from < 1);
    begun.push(name);
  };
  for (let number = 0; number < 200; number++) others(work(`${number}`));
  monitors(work('monitor'));
  while (begun.length < 201) await turn();
  expect(begun.indexOf('monitor')).toBeLessThan(20);
  const inOrder = Array.from({ length: 200 }, (_, number) => `${number}`);
  expect(begun.filter((name) => name !== 'monitor')).toEqual(inOrder);
  others(work('later'));
  while (begun.length < 202) await turn();
  expect(begun.at(-1)).toBe('later');
});
