/** The thread that tests costly filters. It keeps each of them compiled until it is told to forget it. */

import { parentPort } from 'node:worker_threads';
import { compilePattern, type PatternTest } from '../../core/filters/pattern.ts';
import { lowerPriority } from '../threads.ts';
import type { FilterReply, ToFilterThread } from './threaded-filters.ts';

lowerPriority();

const filters = new Map<number, PatternTest>();

parentPort?.on('message', (message: ToFilterThread) => {
  if (message.kind === 'filter') {
    filters.set(message.number, compilePattern(message.where));
    return;
  }
  const { id, event, numbers, forgotten } = message;
  const matched = numbers.map((number) => filters.get(number)?.(event) === true);
  for (const number of forgotten) filters.delete(number);
  parentPort?.postMessage({ id, matched } satisfies FilterReply);
});
