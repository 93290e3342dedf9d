/** All pages: their commands, options, scripts and links exist. */

import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommandAt } from '../cli/run-command.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const NOW = '2026-11-14T09:00:00.000Z';
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'test/README.md',
  ...globSync(['docs/**/*.md', 'examples/**/README.md'], { cwd: root }),
].toSorted();

/** Commands in code blocks and between backticks, split into words. */
function commandsOf(text: string): string[][] {
  const start = '(?:npx tidings|npm run -s tidings --|tidings)';
  const found = text.matchAll(new RegExp(`^\\s*(?:\\$ )?${start} ([a-z].*)$|\`${start} ([a-z][^\`]*)\``, 'gm'));
  return [...found].map(([, line, inline]) =>
    (line ?? inline ?? '')
      .replaceAll(/'[^']*'|"[^"]*"/g, 'text')
      .replace(/ +(#|\||>|&&) .*/, '')
      .trim()
      .split(/\s+/),
  );
}

const helps = new Map<string, Promise<string>>();

/** The help of the command; if it has a default subcommand, also the help of that. */
async function readHelp(names: readonly string[]): Promise<string> {
  const { stdout } = await runCommandAt(NOW, [...names, '--help']);
  if (names.length > 1 || !stdout.includes('\nCommands:')) return stdout;
  const byDefault = await runCommandAt(NOW, [...names, 'list', '--help']);
  return `${stdout}\n${byDefault.stdout}`;
}

function helpOf(words: readonly string[]): Promise<string> {
  const end = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word));
  const names = words.slice(0, Math.min(end === -1 ? words.length : end, 2));
  const key = names.join(' ');
  const help = helps.get(key) ?? readHelp(names);
  helps.set(key, help);
  return help;
}

async function problemsOf(words: readonly string[]): Promise<string[]> {
  const help = await helpOf(words);
  const [, command = ''] = /^Usage: tidings ([a-z-]+)/m.exec(help) ?? [];
  if (command !== words[0]) return [`no command '${words[0]}'`];
  const options = words.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.replace(/=.*/, ''));
  return options.filter((option) => !new RegExp(`(^|[\\s,])${option}\\b`, 'm').test(help)).map((one) => `no ${one}`);
}

it('test/README.md names exports of the files that it links', () => {
  const links = [...read('test/README.md').matchAll(/\[((?:`\w+`(?:, )?)+)\]\(([\w./-]+\.ts)\)/g)];
  expect(links.length).toBeGreaterThan(40);
  const wrong = links.flatMap(([, names = '', file = '']) => {
    const code = read(join('test', file));
    const named = names.split(', ').map((name) => name.replaceAll('`', ''));
    return named.filter((name) => !new RegExp(`^export (?:async )?(?:function|const) ${name}\\b`, 'm').test(code));
  });
  expect(wrong).toEqual([]);
});

describe.each(PAGES)('%s', (page) => {
  it('uses only existing commands and options', async () => {
    for (const words of commandsOf(read(page))) {
      expect([words.join(' '), await problemsOf(words)]).toEqual([words.join(' '), []]);
    }
  });

  it('has no broken links', () => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, link = '']) => link);
    for (const link of links) {
      const [path = '', anchor] = link.split('#');
      const file = path === '' ? page : join(dirname(page), path);
      expect([link, existsSync(join(root, file))]).toEqual([link, true]);
      if (anchor !== undefined && file.endsWith('.md'))
        expect([link, anchorsOf(read(file))]).toEqual([link, expect.arrayContaining([anchor])]);
    }
  });

  it('has no table cell of more than 200 characters, links aside', () => {
    const text = read(page).replaceAll(/^```[\s\S]*?^```$/gm, '');
    const rows = text.split('\n').filter((line) => line.startsWith('|'));
    const cells = rows.flatMap((row) => row.replaceAll(/\]\([^)]*\)/g, ']').split(/(?<!\\)\|/));
    expect(cells.filter((cell) => cell.trim().length > 200)).toEqual([]);
  });

  it('runs only scripts of package.json', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const named = [...read(page).matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, name]) => name);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
  });
});

function anchorsOf(text: string): string[] {
  const headings = text.match(/^#+ .*$/gm) ?? [];
  return headings.map((heading) =>
    heading
      .replace(/^#+ /, '')
      .toLowerCase()
      .replaceAll(/[^a-z0-9_ -]/g, '')
      .replaceAll(' ', '-'),
  );
}

describe('the check of commands', () => {
  it('finds commands on lines and between backticks', () => {
    const text = '```\ntidings status --json # why\n```\nSee `npx tidings explain task/1`, or tidings in general.';
    expect(commandsOf(text)).toEqual([
      ['status', '--json'],
      ['explain', 'task/1'],
    ]);
    expect(PAGES.flatMap((page) => commandsOf(read(page))).length).toBeGreaterThan(50);
  });

  it.each([
    ['nonsense --json', ["no command 'nonsense'"]],
    ['status --nonsense', ['no --nonsense']],
    ['deliveries retry --nonsense --subscription ops', ['no --nonsense']],
    ['subscriptions list --type task.*', ['no --type']],
  ])('reports %s as wrong', async (command, problems) => {
    expect(await problemsOf(command.split(' '))).toEqual(problems);
  });

  it.each(['deliveries --status failed', 'subscriptions test ops --type task.*', 'events -f'])(
    'passes %s',
    async (command) => {
      expect(await problemsOf(command.split(' '))).toEqual([]);
    },
  );
});
