/** Asks questions on a terminal. Hidden answers, such as tokens, are not echoed. */

import { createInterface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';
import type { Ask } from './context.ts';

/** A question rejects with an AbortError on Ctrl-C, on Ctrl-D, and when the signal aborts. */
export function askOnTerminal(input: Readable, output: Pick<Writable, 'write'>, stop: AbortSignal): Ask {
  /** Lines that were pasted together with an earlier answer. */
  const pasted: string[] = [];
  return async (question, { hidden = false } = {}) => {
    const line = pasted.shift();
    if (line !== undefined) {
      output.write(`${question}${hidden ? '' : line}\n`);
      return line;
    }
    let isMuted = false;
    const echo = new Writable({
      write: (chunk, _, done) => {
        if (!isMuted) output.write(chunk);
        done();
      },
    });
    const reader = createInterface({ input, output: echo, terminal: true, historySize: 0 });
    const interrupted = new AbortController();
    reader.on('line', (line) => pasted.push(line));
    reader.on('SIGINT', () => interrupted.abort());
    reader.on('close', () => interrupted.abort());
    try {
      const answer = reader.question(question, { signal: AbortSignal.any([stop, interrupted.signal]) });
      // From here on: the question itself is already written.
      isMuted = hidden;
      return await answer;
    } finally {
      reader.close();
      if (hidden) output.write('\n');
    }
  };
}
