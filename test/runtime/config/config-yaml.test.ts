import { describe, expect, it } from 'vitest';
import { parseYaml } from '../../../runtime/config/yaml.ts';

const messageOf = (text: string): string => {
  try {
    parseYaml('tidings.yaml', text);
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  return '';
};

/** More lines, which cause follow-on errors. */
const REST = 'rules: { closedStatuses: [Closed] }\nsubscriptions:\n  - { name: ops, events: [task.closed] }\n';

describe('invalid YAML', () => {
  it.each([
    [
      'a variable in braces',
      'source: { token: ${TOKEN} }\n',
      'line 1, column 19',
      'a variable needs quotes: "${NAME}"',
    ],
    ['a variable in brackets', 'to: [${READER}]\n', 'line 1, column 7', 'a variable needs quotes: "${NAME}"'],
    ['a lone star', 'events: [*]\n', 'line 1, column 10', "text that begins with * needs quotes, such as '*'"],
    ['a pattern that begins with a star', 'events: [*.overdue]\n', 'line 1, column 10', 'begins with * needs quotes'],
    [
      'a line too far right',
      'source:\n  name: main\n   token: x\n',
      'line 2, column 9',
      'is the next line indented too far',
    ],
    ['a line too far left', 'a:\n  - name: x\n   events: []\n', 'line 3, column 1', 'is the indentation wrong'],
    ['a tab', 'source:\n\tname: main\n', 'line 2, column 1', 'use spaces'],
    ['a quote that is not closed', 'a: { url: "https://x, secret: "y" }\n', 'line 1, column 32', 'is a quote, comma'],
    ['a mention', 'to: [@team]\n', 'line 1, column 6', 'put the text in quotes'],
  ])('is reported once, with its position and a hint: %s', (_, text, place, hint) => {
    const [head, ...problems] = messageOf(text + REST).split('\n');
    expect(head).toBe('tidings.yaml: 1 problem');
    expect(problems).toEqual([expect.stringContaining(hint)]);
    expect(problems[0]).toMatch(new RegExp(`^ {2}${place}: expected`));
  });

  it('is reported by its first error in the file', () => {
    expect(messageOf('\t\t]? !!x ')).toMatch(/line 1, column 1: .*use spaces$/);
  });

  it('has its own message when it is nested too deeply', () => {
    const message = messageOf(`a: ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`);
    expect(message).toMatch(/^tidings\.yaml: 1 problem\n.*the nesting is too deep$/);
  });

  it('is never quoted, because it may contain a secret', () => {
    for (const text of ['token: *hunter2\n', 'token: { x: hunter2 ${A} }\n', 'token: "hunter2\n', 'a: hunter2: b\n']) {
      expect(messageOf(text)).toContain('1 problem');
      expect(messageOf(text)).not.toContain('hunter2');
    }
  });
});

describe('an alias', () => {
  it('is replaced by the value of its anchor', () => {
    expect(parseYaml('t.yaml', 'a: &days [mon, tue]\nb: *days\n')).toEqual({ a: ['mon', 'tue'], b: ['mon', 'tue'] });
  });

  it('that refers to itself is rejected', () => {
    expect(messageOf('a: &x [*x]\n')).toContain('expected YAML of limited depth');
  });
});
