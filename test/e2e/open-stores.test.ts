/** Which stores a command gets, and what it says when there are none to get. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fixedClock, SECOND } from '../../core/model/time.ts';
import type { DatabaseStores } from '../../core/ports/database-stores.ts';
import { storesParameter } from '../../runtime/aws/deployed-stores.ts';
import { awaitAttempt } from '../../runtime/inspect/await-attempt.ts';
import { openStores, withStores } from '../../runtime/inspect/open-stores.ts';
import { ACCESS_KEY_SECRET, type AwsServer, startAwsServer } from '../adapters/aws/aws-server.ts';
import { runCommandAt } from '../cli/run-command.ts';
import { delivery, event, NOON } from '../samples.ts';
import { leadTo } from './aws-account.ts';

const root = join(import.meta.dirname, '../..');
const options = { environment: {}, clock: fixedClock(NOON) };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-stores-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a data directory', () => {
  it('is opened where there is one, and made only where that is asked for', async () => {
    const data = join(folder, 'data');
    await expect(openStores({ data }, options)).rejects.toThrow(`no data in directory '${data}' yet`);
    const made = await openStores({ data }, { ...options, make: true });
    made.close();
    await withStores({ data }, options, async ({ subscriptions, history }) => {
      expect(await subscriptions.list()).toEqual([]);
      expect(await history?.transitionsOf({ source: 'main', resource: 'task', id: '1' }, 9)).toEqual([]);
    });
  });

  it('keeps secrets beside the data, and is closed also after a failure', async () => {
    const data = join(folder, 'data');
    let opened: DatabaseStores | undefined;
    const work = withStores({ data }, { ...options, make: true }, async (stores) => {
      opened = stores;
      expect(await stores.secrets.keep('ops', 'whsec_1')).toContain(join(data, 'secrets', 'ops-'));
      throw new Error('midway');
    });
    await expect(work).rejects.toThrow('midway');
    await expect(opened?.subscriptions.list()).rejects.toThrow('not open');
  });
});

describe('a stack in AWS', () => {
  let server: AwsServer;
  beforeEach(async () => {
    server = await startAwsServer(() => ({ awsCode: 'ParameterNotFound' }));
    const { accessKeyId, secretAccessKey } = server.settings.credentials;
    leadTo({
      AWS_ENDPOINT_URL: server.settings.endpoint,
      AWS_REGION: server.settings.region,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    });
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await server.close();
  });

  const ask = (...argv: readonly string[]) => runCommandAt(NOON, ['events', ...argv]);

  it('of another name is said to be unknown, with where it was looked for', async () => {
    const { code, stderr } = await ask('--aws', 'News');
    expect(code).toBe(2);
    expect(stderr).toBe(
      "tidings: --aws: stack 'News' not found in this account and region: there is no parameter /tidings/News/stores in eu-test-1, which 'cdk deploy' creates\n",
    );
    expect(server.requests.map(({ operation, body }) => [operation, body.Name])).toEqual([
      ['GetParameter', storesParameter('News')],
    ]);
  });

  it('needs credentials, and says how to find out', async () => {
    leadTo({ AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined });
    const { code, stderr } = await ask('--aws', 'Tidings');
    expect([code, stderr]).toEqual([2, expect.stringContaining('no valid AWS credentials found')]);
    expect(server.requests).toEqual([]);
  });

  it('needs a region', async () => {
    vi.stubEnv('AWS_REGION', undefined);
    const { code, stderr } = await ask('--aws', 'Tidings');
    expect([code, stderr]).toEqual([2, expect.stringContaining('no region: set AWS_REGION')]);
  });

  it('takes the region from the variable that only the AWS CLI knows', async () => {
    vi.stubEnv('AWS_REGION', undefined);
    const environment = { AWS_DEFAULT_REGION: 'eu-test-1' };
    await expect(openStores({ data: '', aws: 'Tidings' }, { ...options, environment })).rejects.toThrow('in eu-test-1');
    expect(server.unsigned()).toBe(0);
  });

  it.each([
    [
      { awsCode: 'AccessDeniedException', detail: 'not authorized to perform ssm:GetParameter' },
      2,
      'have no permission to read',
    ],
    [{ awsCode: 'InternalServerError', status: 500, detail: 'oh' }, 1, 'could not be read: InternalServerError'],
    [{ ok: { Parameter: { Value: '{"snapshotsTable":"s"}' } } }, 2, 'deploy the stack again with this version'],
    [{ ok: { Parameter: { Value: 'text' } } }, 2, 'expected JSON with snapshotsTable'],
    [{ ok: {} }, 2, 'expected JSON with snapshotsTable'],
  ])('that answers %j is told as what it is', async (answer, expected, words) => {
    server.always(() => answer);
    const { code, stderr } = await ask('--aws', 'Tidings');
    expect([code, stderr]).toEqual([expected, expect.stringContaining(words)]);
    expect(stderr).not.toContain(ACCESS_KEY_SECRET);
  });

  it('and a data directory exclude each other', async () => {
    const both = await ask('--aws', 'Tidings', '--data', folder);
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining("cannot be used with option '-d, --data")]);
    expect(server.requests).toEqual([]);
  });

  it.each(['../Tidings', '', 'a/b', '1st'])('cannot be named %j', async (name) => {
    const { code, stderr } = await ask('--aws', name);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Expected a stack name')]);
  });
});

describe('the SDK of AWS', () => {
  /** Runs the real entry, and says which modules of the SDK it asked for. */
  const loadedBy = (...argv: readonly string[]) => {
    const hook = `import { registerHooks } from 'node:module';
      registerHooks({ resolve(name, context, next) {
        if (name.startsWith('@aws-sdk/client')) console.error('loads ' + name);
        return next(name, context);
      } });`;
    const { stderr } = spawnSync(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(hook)}`, join(root, 'bin/tidings.ts'), ...argv],
      { encoding: 'utf8', env: { ...process.env, AWS_REGION: '', AWS_CONFIG_FILE: join(folder, 'none') } },
    );
    return stderr.match(/loads \S+/g) ?? [];
  };

  it('is loaded for a stack alone: who works on this machine does not wait for it', () => {
    expect(loadedBy('--help')).toEqual([]);
    expect(loadedBy('events', '--data', folder)).toEqual([]);
    expect(loadedBy('events', '--aws', 'Tidings')).toContain('loads @aws-sdk/client-dynamodb');
  });
});

describe('awaitAttempt', () => {
  const stop = new AbortController().signal;
  const waiting = delivery('1', 'ops');

  const withOne = (work: (stores: DatabaseStores) => Promise<void>) =>
    withStores({ data: folder }, { ...options, make: true }, async (stores) => {
      await stores.events.record([{ event: event('1'), deliveries: [waiting] }]);
      await work(stores);
    });

  it('looks until somebody has made an attempt, and gives it with its events', () =>
    withOne(async (stores) => {
      const attempt = { number: 1, at: NOON, ms: 3, outcome: 'accepted', status: 204 } as const;
      const awaited = awaitAttempt(stores, waiting.id, { stop, every: 5 });
      await new Promise((later) => setTimeout(later, 30));
      await stores.deliveries.saveAttempt({
        ...waiting,
        status: 'settled',
        dueAt: null,
        settledAt: NOON,
        attempts: [attempt],
      });
      expect(await awaited).toMatchObject({ attempt, delivery: { status: 'settled' }, events: [{ id: 'evt_1' }] });
    }));

  it('gives up in time, and at once when it is asked to stop', () =>
    withOne(async (stores) => {
      const start = performance.now();
      expect(await awaitAttempt(stores, waiting.id, { stop, wait: 40, every: 10 })).toBeUndefined();
      expect(await awaitAttempt(stores, waiting.id, { stop: AbortSignal.abort() })).toBeUndefined();
      expect(performance.now() - start).toBeLessThan(5 * SECOND);
    }));
});
