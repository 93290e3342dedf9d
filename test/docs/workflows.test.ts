/** The GitHub workflows: minimal permissions, existing scripts, no keys. */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly environment?: string;
  readonly if?: string;
  readonly 'timeout-minutes'?: number;
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly string[]>> };
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly concurrency?: { readonly group: string; readonly 'cancel-in-progress': unknown };
  readonly jobs: Readonly<Record<string, Job>>;
}

const files = globSync('.github/workflows/*', { cwd: root }).sort();
const workflow = (name: string): Workflow => parse(read(`.github/workflows/${name}.yml`));
const jobsOf = (text: string): Job[] => Object.values((parse(text) as Workflow).jobs);
const stepsOf = (text: string): Step[] => jobsOf(text).flatMap(({ steps }) => steps);

it('there are four workflows', () => {
  expect(files).toEqual(['deploy', 'publish', 'synth-diff', 'test'].map((name) => `.github/workflows/${name}.yml`));
});

describe.each(files)('%s', (file) => {
  const text = read(file);
  const { on, permissions, concurrency }: Workflow = parse(text);

  it('may only read the repository, unless a job declares more', () => {
    expect(permissions).toEqual({ contents: 'read' });
    for (const job of jobsOf(text)) {
      const more = Object.keys(job.permissions ?? {}).filter((name) => name !== 'contents');
      expect(['id-token', 'pull-requests']).toEqual(expect.arrayContaining(more));
      expect(job.permissions?.contents ?? 'read').toBe('read');
    }
  });

  it('never gives permissions of the repository to code of forks', () => {
    expect(Object.keys(on)).not.toContain('pull_request_target');
    expect(Object.keys(on)).not.toContain('workflow_run');
    for (const { uses, with: options } of stepsOf(text)) {
      if (uses?.startsWith('actions/checkout@')) expect(options?.['persist-credentials']).toBe(false);
    }
  });

  it('uses only actions of GitHub and AWS, pinned to commits', () => {
    const used = stepsOf(text).flatMap(({ uses }) => uses ?? []);
    expect(used.length).toBeGreaterThan(0);
    for (const one of used) expect(one).toMatch(/^(actions|aws-actions)\/[a-z-]+@[0-9a-f]{40}$/);
    // A tag can be moved. A comment names the version, the same in all files.
    for (const [, action, version] of text.matchAll(/uses: (\S+)@\S+(.*)$/gm)) {
      expect([action, version]).toEqual([action, expect.stringMatching(/^ # v\d+\.\d+\.\d+$/)]);
    }
  });

  it('runs only scripts of package.json, after npm ci', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const runs = stepsOf(text).flatMap(({ run }) => run ?? []);
    // With --if-present a script may be missing.
    const named = runs.flatMap((run) => [...run.matchAll(/npm (?:run (?:-s )?)?([\w:]+)/g)].map(([, name]) => name));
    const known = [...Object.keys(scripts), 'ci', 'run', 'pkg', 'pack', 'publish'];
    expect(known).toEqual(expect.arrayContaining(named));
    for (const { steps } of jobsOf(text)) {
      expect(steps.map(({ run }) => run)).toContain('npm ci');
    }
  });

  it('inserts no untrusted text into a script', () => {
    for (const { run } of stepsOf(text)) expect(run ?? '').not.toContain('${{');
  });

  it('contains no key, and has a timeout', () => {
    expect(text).not.toMatch(/secrets\.|aws-access-key-id|AWS_SECRET_ACCESS_KEY/);
    for (const job of jobsOf(text)) expect(job['timeout-minutes']).toBeLessThanOrEqual(45);
    expect(concurrency?.group).toBeTruthy();
  });

  it('documents at its top all variables it reads', () => {
    const [comment = ''] = /^(#.*\n)+/.exec(text) ?? [];
    expect(comment.length).toBeGreaterThan(80);
    for (const [, name] of text.matchAll(/vars\.(\w+)/g)) expect(comment).toContain(name);
  });
});

describe('the workflow', () => {
  it('test runs everything on both architectures', () => {
    const { jobs, on } = workflow('test');
    expect(Object.keys(on)).toEqual(['push', 'pull_request']);
    expect(jobs.test?.strategy?.matrix.runner).toEqual(['ubuntu-24.04', 'ubuntu-24.04-arm']);
    expect(jobs.test?.steps.map(({ run }) => run)).toContain('npm test');
    expect(jobs.aws?.steps.map(({ run }) => run).join()).toContain('test:aws');
  });

  it('synth-diff does not run for forks', () => {
    const { jobs } = workflow('synth-diff');
    expect(jobs.synth?.permissions).toBeUndefined();
    expect(jobs.diff?.if).toContain('github.event.pull_request.head.repo.full_name == github.repository');
    expect(jobs.diff?.steps.map(({ run }) => run).join()).toContain('cdk diff --method=template');
  });

  it('deploy uses the same options and variables as synth-diff', () => {
    const runsOf = (name: string) => stepsOf(read(`.github/workflows/${name}.yml`)).flatMap(({ run }) => run ?? []);
    const optionsOf = (name: string, command: string) =>
      runsOf(name)
        .filter((run) => run.includes(`npx cdk ${command}`))
        .map((run) => run.match(/-c "[^"]+"/g));
    const options = [['-c "config=$CONFIG"', '-c "alarmEmail=$ALARM_EMAIL"', '-c "runbookUrl=$RUNBOOK"']];
    expect(optionsOf('synth-diff', 'synth')).toEqual(options);
    expect(optionsOf('synth-diff', 'diff')).toEqual(options);
    expect(optionsOf('deploy', 'deploy')).toEqual(options);
    const runbooks = ['synth-diff', 'deploy'].map((name) =>
      /RUNBOOK: (.*)/.exec(read(`.github/workflows/${name}.yml`)),
    );
    expect(runbooks.map((found) => found?.[1])).toEqual(
      Array(2).fill('${{ github.server_url }}/${{ github.repository }}/blob/main/docs/runbook.md'),
    );
    const variables = ['synth-diff', 'deploy'].map((name) => runsOf(name).filter((run) => run.includes('VARIABLES')));
    expect(new Set(variables.flat())).toEqual(new Set(['printf \'%s\\n\' "$VARIABLES" >> "$GITHUB_ENV"']));
  });

  it('publish needs approval, no stored token, and a tag of the same version', () => {
    const { jobs, on } = workflow('publish');
    expect(on).toEqual({ release: { types: ['published'] } });
    expect(jobs.publish).toMatchObject({ environment: 'npm', permissions: { 'id-token': 'write' } });
    const runs = jobs.publish?.steps.flatMap(({ run }) => run ?? []) ?? [];
    expect(runs.slice(0, 2)).toEqual(['npm ci', 'npm test']);
    expect(runs.slice(-2)).toEqual([
      'npm pack --pack-destination "$RUNNER_TEMP"',
      'npm publish "$RUNNER_TEMP"/*.tgz --provenance --access public',
    ]);
    expect(runs.join()).toContain('test "$TAG" = "v$(node -p');
  });

  it('test builds the image, and starts it as its own user', () => {
    const runs = workflow('test')
      .jobs.container?.steps.map(({ run }) => run)
      .join('\n');
    expect(runs).toContain('docker build --file Containerfile');
    expect(runs).toContain('test "$(id -u)" != 0');
  });

  it('each deploys with a single command', () => {
    for (const file of files) expect(read(file)).not.toContain('--all');
  });

  it('deploy needs approval of its environment, runs after the tests, and one at a time', () => {
    const { jobs, on, concurrency } = workflow('deploy');
    expect(Object.keys(on).sort()).toEqual(['push', 'workflow_dispatch']);
    expect(on.push).toEqual({ tags: ['v*'] });
    expect(jobs.deploy).toMatchObject({ environment: 'production', needs: 'test' });
    expect(concurrency?.['cancel-in-progress']).toBe(false);
    const identified = Object.entries(jobs).filter(([, { permissions }]) => permissions?.['id-token'] === 'write');
    expect(identified.map(([name]) => name)).toEqual(['deploy']);
  });
});
