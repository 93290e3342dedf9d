/** The pages about deployment: their commands and links exist, and their lists are complete. */

import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { awsSchema } from '../../runtime/config/aws-schema.ts';
import { runCommandAt } from '../cli/run-command.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const NOW = '2026-11-14T09:00:00.000Z';

const PAGES = ['docs/deploy.md', 'docs/runbook.md', 'docs/security.md', 'docs/aws.md'];

/** Commands in code blocks and between backticks, split into words. */
function commandsOf(text: string): string[][] {
  const found = text.matchAll(/^\s*(?:\$ )?tidings ([a-z].*)$|`tidings ([a-z][^`]*)`/gm);
  return [...found].map(([, line, inline]) => (line ?? inline ?? '').trim().split(/\s+/));
}

/** The help of the command; if it has a default subcommand, also the help of that. */
async function helpOf(words: readonly string[]): Promise<string> {
  const end = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word));
  const names = words.slice(0, Math.min(end === -1 ? words.length : end, 2));
  const { stdout } = await runCommandAt(NOW, [...names, '--help']);
  if (names.length > 1 || !stdout.includes('\nCommands:')) return stdout;
  const byDefault = await runCommandAt(NOW, [...names, 'list', '--help']);
  return `${stdout}\n${byDefault.stdout}`;
}

async function problemsOf(words: readonly string[]): Promise<string[]> {
  const help = await helpOf(words);
  const [, command = ''] = /^Usage: tidings ([a-z-]+)/m.exec(help) ?? [];
  if (command !== words[0]) return [`no command '${words[0]}'`];
  const options = words.filter((word) => /^--?[a-z]/.test(word));
  return options.filter((option) => !new RegExp(`(^|[\\s,])${option}\\b`, 'm').test(help)).map((one) => `no ${one}`);
}

describe.each(PAGES)('%s', (page) => {
  it('does not claim that a deployment reverts manual changes, because the same template changes nothing', () => {
    expect(read(page)).not.toMatch(/deploy(ment)? (again, and look|puts? it back)|\? Deploy again|taken away: deploy/);
  });

  it('uses only existing commands and options', async () => {
    for (const words of commandsOf(read(page))) {
      expect([words.join(' '), await problemsOf(words)]).toEqual([words.join(' '), []]);
    }
  });

  it('has no broken links', () => {
    const links = [...read(page).matchAll(/\]\((?!https:)([^)]+)\)/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) {
      const [path = '', anchor] = link.split('#');
      const file = path === '' ? page : join(dirname(page), path);
      expect([link, existsSync(join(root, file))]).toEqual([link, true]);
      if (anchor !== undefined) expect(anchorsOf(read(file))).toContain(anchor);
    }
  });

  it('runs only scripts of package.json', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const named = [...read(page).matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name]) => name);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
  });
});

function anchorsOf(text: string): string[] {
  const headings = text.match(/^#+ .*$/gm) ?? [];
  return headings.map((heading) =>
    heading
      .replace(/^#+ /, '')
      .toLowerCase()
      .replaceAll(/[^a-z0-9 -]/g, '')
      .replaceAll(' ', '-'),
  );
}

describe('the check of commands', () => {
  it('finds commands on lines and between backticks', () => {
    expect(commandsOf('```\ntidings status --json\n```\nSee `tidings explain task/1`, or tidings in general.')).toEqual(
      [
        ['status', '--json'],
        ['explain', 'task/1'],
      ],
    );
    expect(PAGES.flatMap((page) => commandsOf(read(page))).length).toBeGreaterThan(10);
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

describe('docs/deploy.md', () => {
  const page = read('docs/deploy.md');
  const between = (begin: string, end: string) => page.split(begin)[1]?.split(end)[0] ?? '';

  it('lists every option of the app, and no other', () => {
    const options = [...read('lib/stack-from-context.ts').matchAll(/option\('(\w+)'\)/g)].map(([, name]) => name);
    const rows = [...between('| `-c` |', '\n\n').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    expect(rows.length).toBeGreaterThan(3);
    expect([...rows].sort()).toEqual([...new Set(options)].sort());
    // Also in examples.
    const used = [...page.matchAll(/-c (\w+)=/g)].map(([, name]) => name);
    expect(rows).toEqual(expect.arrayContaining(used));
  });

  it('deploys one stack with one command', () => {
    for (const one of [...PAGES, 'README.md', 'examples/aws.yaml']) {
      expect([one, read(one).match(/cdk (deploy|diff|destroy)[^`\n]*(--all|TidingsData)/g)]).toEqual([one, null]);
    }
    // Destroying is permanent. To stop temporarily, pause.
    const [, removing = ''] = page.split('\n## Remove\n');
    expect(page.split('cdk destroy')).toHaveLength(removing.split('\n## ')[0]?.split('cdk destroy').length ?? 0);
    for (const other of ['docs/runbook.md', 'docs/security.md']) {
      expect(read(other)).not.toContain('cdk destroy');
      expect(read(other)).toContain('deploy.md#pause');
    }
  });

  it('lists every option of the config section aws, with its default', () => {
    const known = Object.keys(awsSchema.shape).sort();
    const rows = [...between('| `-c` |', '\n\n').matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name);
    expect(rows.filter((name) => name !== 'config').sort()).toEqual(known);
  });

  it('lists every service that the templates use', () => {
    const types = globSync('test/lib/snapshots/*.json', { cwd: root }).flatMap((file) => {
      const resources: Record<string, { readonly Type: string }> = JSON.parse(read(file)).Resources;
      return Object.values(resources).map(({ Type }) => Type);
    });
    const services = types
      .filter((type) => type.startsWith('AWS::'))
      .map((type) => (type.split('::')[1] ?? '').toLowerCase().replace(/v2$/, ''));
    expect(services).toContain('dynamodb');
    // CDK itself calls CloudFormation, and reads a parameter of the bootstrap stack.
    const listed = between('<!-- services -->', '<!-- end of services -->').match(/\w+/g) ?? [];
    expect(listed).toEqual([...new Set([...services, 'cloudformation', 'ssm'])].sort());
  });

  it('has policies that are valid JSON, without wildcard principals', () => {
    const policies = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = '']) => JSON.parse(json));
    expect(policies.flatMap(({ Statement }) => Statement.map((one: { Action: string }) => one.Action))).toEqual([
      'sts:AssumeRole',
      'sts:AssumeRoleWithWebIdentity',
    ]);
    expect(JSON.stringify(policies)).not.toContain('*');
  });

  it('restores snapshots with the cause that the stream filter excludes', () => {
    expect(page).toContain('.cause = { S: "baseline" }');
    expect(read('adapters/dynamodb/tables.ts')).toContain("cause: { S: [{ 'anything-but': ['baseline'] }] }");
  });
});
