/** The table of docs/slack-commands.md: every command means what the page says. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventTypes } from '../../../core/events/catalogue.ts';
import { printQuery } from '../../../core/filters/query.ts';
import { subscriptionFromQuery } from '../../../core/filters/query-compile.ts';
import { parseQuery } from '../../../core/filters/query-parse.ts';
import { formatDuration } from '../../../core/model/time.ts';
import { readCommandText, type SlackCommand } from '../../../manage/slack/slack-command.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/slack-commands.md'), 'utf8');
const rows = [...page.matchAll(/^\| `\/tidings ?([^`]*)` \| `([^`]*)` \| (.+) \|$/gm)].map(
  ([, typed = '', meant = '', meaning = '']) => [typed, meant, meaning] as const,
);

/** The standard form of a command. */
function print(command: SlackCommand): string {
  switch (command.verb) {
    case 'menu':
      return 'form';
    case 'subscribe':
      return `subscribe ${printQuery(parseQuery(command.query))}`;
    case 'list':
      return command.from === 1 ? 'list' : `list ${command.from}`;
    case 'unsubscribe':
      return `unsubscribe ${command.name}`;
    case 'pause':
      return command.duration === null ? 'pause' : `pause ${formatDuration(command.duration)}`;
    case 'why':
      return `why ${command.subject}`;
    case 'wrong':
      return command.message;
    default:
      return command.verb;
  }
}

describe('the commands of the page', () => {
  it('are a hundred or more, each once', () => {
    expect(rows.length).toBeGreaterThanOrEqual(100);
    expect(new Set(rows.map(([typed]) => typed)).size).toBe(rows.length);
  });

  it.each(rows)('/tidings %s stands for %s', (typed, meant, meaning) => {
    const command = readCommandText(typed);
    if (command.verb === 'wrong') expect(print(command)).toContain(meant);
    else expect(print(command)).toBe(meant);
    expect(meaning).not.toBe('');
    if (command.verb !== 'subscribe') return;
    const types = eventTypes.map(({ type }) => type);
    // The standard form is the same subscription.
    expect(subscriptionFromQuery(meant.replace('subscribe ', ''), types)).toEqual(
      subscriptionFromQuery(command.query, types),
    );
  });

  it('never fail, whatever is typed', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(readCommandText(text).verb).toEqual(expect.any(String));
      }),
    );
  });
});
