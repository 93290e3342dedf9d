/** `tidings types`, for people and as JSON. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventTypes } from '../../core/events/catalogue.ts';
import { runCommand } from '../cli/run-command.ts';
import { tidings } from './command.ts';

const root = join(import.meta.dirname, '../..');

describe('tidings types', () => {
  it('lists every type with its meaning, aligned, and marks time-driven types', async () => {
    const { code, stdout, stderr } = await tidings(['types']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(eventTypes.length + 2);
    expect(lines.at(-1)).toBe('* caused by the passing of time');
    const [closed = '', overdue = ''] = ['task.closed ', 'task.overdue '].map((type) =>
      lines.find((line) => line.startsWith(type)),
    );
    expect(closed).toMatch(/^task\.closed {2,}A task was closed\.$/);
    expect(overdue).toMatch(/^task\.overdue +\* {2}A task is overdue\.$/);
    expect(closed.indexOf('A task')).toBe(overdue.indexOf('A task'));
  });

  it('filters by a pattern', async () => {
    const { stdout } = await runCommand(['types', 'person.*']);
    expect(stdout.trimEnd().split('\n')).toHaveLength(8);
    expect(stdout).not.toContain('task');
    expect(stdout).not.toContain('* comes');
  });

  it('prints a stable array with --json; every schema file exists', async () => {
    const { code, stdout } = await runCommand(['types', '--json']);
    expect(code).toBe(0);
    const types: Record<string, unknown>[] = JSON.parse(stdout);
    expect(types).toHaveLength(eventTypes.length);
    for (const type of types) {
      expect(Object.keys(type)).toEqual(['type', 'resource', 'meaning', 'when', 'byTime', 'urgency', 'schema']);
      expect(existsSync(join(root, String(type.schema)))).toBe(true);
    }
    expect(types.find(({ type }) => type === 'invoice.overdue')).toEqual({
      type: 'invoice.overdue',
      resource: 'invoice',
      meaning: 'An invoice is overdue.',
      when: expect.stringMatching(/^Fires once per due date/),
      byTime: true,
      urgency: 'late',
      schema: 'schema/events/invoice.overdue.json',
    });
  });

  it('rejects a pattern that matches nothing', async () => {
    const { code, stdout, stderr } = await runCommand(['types', 'tsak.*']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain("such as 'task.*'");
  });
});
