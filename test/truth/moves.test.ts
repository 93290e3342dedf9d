/**
 * Moves between a directory and AWS, judged by an installation that never moved.
 * TIDINGS_MOVES=20 npx vitest run test/truth/moves moves that often; TIDINGS_FIRST_STORM sets the seed.
 */

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type CapturedOutput, captureOutput } from '../functions/lambda-call.ts';
import { moveRepeatedly } from './moves.ts';

let output: CapturedOutput;
beforeAll(() => {
  output = captureOutput();
});
afterEach(() => {
  vi.unstubAllEnvs();
  output.clear();
});
afterAll(() => {
  vi.restoreAllMocks();
});

const MOVES = Number(process.env.TIDINGS_MOVES ?? 2);
const SEED = Number(process.env.TIDINGS_FIRST_STORM ?? 1);

describe('an installation that moves to AWS and back', () => {
  it(`sends what one that stays sends, each once: seed ${SEED}`, { timeout: 3_600_000 }, async () => {
    const { moved, staying, moving } = await moveRepeatedly({ seed: SEED, moves: MOVES });
    expect([moved.out, moved.back]).toEqual([Math.ceil(MOVES / 2), Math.floor(MOVES / 2)]);
    for (const receiver of ['ops', 'crm', 'watch', 'chat'] as const) {
      const events = moving[receiver];
      expect(events.length, receiver).toBe(new Set(events).size);
      expect([...events].sort(), receiver).toEqual([...staying[receiver]].sort());
    }
    expect(moving.daily).toEqual(staying.daily);
    expect(moving.daily.length).toBeGreaterThan(2);
    expect(moving.ops.length).toBeGreaterThan(30);
    expect(moving.crm.length).toBeGreaterThan(30);
    expect(moving.chat.length).toBeGreaterThan(20);
    expect(moved.waiting).toBeGreaterThan(0);
  });
});
