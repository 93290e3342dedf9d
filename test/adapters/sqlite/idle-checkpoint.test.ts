import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { createIdleCheckpoint } from '../../../adapters/sqlite/idle-checkpoint.ts';

describe('createIdleCheckpoint', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const commit = (times: number, { committed }: { committed(): void }) => {
    for (let n = 0; n < times; n++) committed();
  };

  it('runs once the writes have paused, and not for a few transactions', () => {
    const checkpoint = vi.fn();
    const idle = createIdleCheckpoint(checkpoint);
    commit(99, idle);
    vi.advanceTimersByTime(1_000);
    expect(checkpoint).not.toHaveBeenCalled();
    for (let n = 0; n < 10; n++) {
      commit(1, idle);
      vi.advanceTimersByTime(4);
    }
    expect(checkpoint).not.toHaveBeenCalled();
    vi.advanceTimersByTime(5);
    expect(checkpoint).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1_000);
    expect(checkpoint).toHaveBeenCalledTimes(1);
  });

  it('survives an error, and tries again after as many transactions', () => {
    const checkpoint = vi.fn(() => {
      throw new Error('disk full');
    });
    const idle = createIdleCheckpoint(checkpoint);
    for (const times of [1, 2]) {
      commit(100, idle);
      vi.advanceTimersByTime(5);
      expect(checkpoint).toHaveBeenCalledTimes(times);
    }
  });

  it('does nothing after it was stopped', () => {
    const checkpoint = vi.fn();
    const idle = createIdleCheckpoint(checkpoint);
    commit(100, idle);
    idle.stop();
    vi.advanceTimersByTime(1_000);
    expect(checkpoint).not.toHaveBeenCalled();
  });
});

describe('a database', () => {
  it('moves its log into the data file when nothing is written', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidings-'));
    const file = join(folder, 'tidings.db');
    const db = openDatabase(file);
    const before = statSync(file).size;
    const add = db.prepare("INSERT INTO events (id, time, subject, body) VALUES (?, '', '', ?)");
    for (let n = 0; n < 120; n++) db.transaction(() => add.run(String(n), 'x'.repeat(4_000)));
    await vi.waitFor(() => expect(statSync(file).size).toBeGreaterThan(before + 100_000), { timeout: 30_000 });
    db.close();
    rmSync(folder, { recursive: true });
  });
});
