import { describe, expect, it } from 'vitest';
import { compileGlob, compileMatcher } from '../../../core/subscriptions/match.ts';
import { event, subscription } from '../../samples.ts';

describe('compileGlob', () => {
  it.each([
    ['task.closed', 'task.closed', true],
    ['task.closed', 'task.closed_late', false],
    ['task.*', 'task.closed', true],
    ['task.*', 'tasks.closed', false],
    ['*.closed', 'task.closed', true],
    ['*', 'task.closed', true],
    ['task.c*d', 'task.created', true],
    ['task.c*d', 'task.c', false],
    ['taskXclosed', 'task.closed', false],
    ['task.(closed|created)', 'task.closed', false],
  ])('%s against %s: %s', (glob, type, expected) => {
    expect(compileGlob(glob)(type)).toBe(expected);
  });
});

describe('compileMatcher', () => {
  it('names each subscription that wants the event, once, however many of its globs match', () => {
    const match = compileMatcher([
      subscription('all', { events: ['*', 'task.*'] }),
      subscription('created', { events: ['task.created'] }),
      subscription('closed', { events: ['task.closed'] }),
    ]);
    expect(match(event('1', { type: 'task.closed' })).map(({ name }) => name)).toEqual(['all', 'closed']);
    expect(match(event('2', { type: 'task.closed' })).map(({ name }) => name)).toEqual(['all', 'closed']);
    expect(match(event('3', { type: 'task.created' })).map(({ name }) => name)).toEqual(['all', 'created']);
  });
});
