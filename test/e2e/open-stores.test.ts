/** The stores that commands open, and the errors when they do not exist. */

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
  it('is opened if it exists, and created only on request', async () => {
    const data = join(folder, 'data');
    await expect(openStores({ data }, options)).rejects.toThrow(`no data in directory '${data}' yet`);
    const made = await openStores({ data }, { ...options, make: true });
    made.close();
    await withStores({ data }, options, async ({ subscriptions, history }) => {
      expect(await subscriptions.list()).toEqual([]);
      expect(await history?.transitionsOf({ source: 'main', resource: 'task', id: '1' }, 9)).toEqual([]);
    });
  });

  it('stores secrets beside the data, and is closed after a failure too', async () => {
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

  it('that does not exist is reported with the account and region that were searched', async () => {
    const { code, stderr } = await ask('--aws', 'News');
    expect(code).toBe(2);
    expect(stderr).toBe(
      "tidings: --aws: stack 'News' not found in this account and region: there is no parameter /tidings/News/stores in eu-test-1, which 'cdk deploy' creates\n",
    );
    expect(server.requests.map(({ operation, body }) => [operation, body.Name])).toEqual([
      ['GetParameter', storesParameter('News')],
    ]);
  });

  it('requires credentials, and suggests how to check them', async () => {
    leadTo({ AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined });
    const { code, stderr } = await ask('--aws', 'Tidings');
    expect([code, stderr]).toEqual([2, expect.stringContaining('no valid AWS credentials found')]);
    expect(server.requests).toEqual([]);
  });

  it('requires a region', async () => {
    vi.stubEnv('AWS_REGION', undefined);
    const { code, stderr } = await ask('--aws', 'Tidings');
    expect([code, stderr]).toEqual([2, expect.stringContaining('no region: set AWS_REGION')]);
  });

  it('uses the region variable of the AWS CLI', async () => {
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
  ])('that responds with %j is reported with its cause', async (answer, expected, words) => {
    server.always(() => answer);
    const { code, stderr } = await ask('--aws', 'Tidings');
    expect([code, stderr]).toEqual([expected, expect.stringContaining(words)]);
    expect(stderr).not.toContain(ACCESS_KEY_SECRET);
  });

  it('cannot be combined with a data directory', async () => {
    const both = await ask('--aws', 'Tidings', '--data', folder);
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining("cannot be used with option '-d, --data")]);
    expect(server.requests).toEqual([]);
  });

  it.each(['../Tidings', '', 'a/b', '1st'])('cannot be named %j', async (name) => {
    const { code, stderr } = await ask('--aws', name);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Expected a stack name')]);
  });
});

describe('the AWS SDK', () => {
  /** Runs the real entry point and returns the SDK modules it loaded. */
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

  it('is loaded only for commands on a stack', () => {
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

  it('polls until an attempt is recorded, and returns it with its events', () =>
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

  it('reads soon at first: most receivers respond at once', () =>
    withOne(async (stores) => {
      const attempt = { number: 1, at: NOON, ms: 3, outcome: 'accepted', status: 204 } as const;
      let reads = 0;
      const get = async () => {
        reads += 1;
        return reads < 4 ? waiting : { ...waiting, attempts: [attempt] };
      };
      const start = performance.now();
      const deliveries = { ...stores.deliveries, get };
      expect(await awaitAttempt({ ...stores, deliveries }, waiting.id, { stop })).toMatchObject({ attempt });
      // Half a second before each of three reads would be more.
      expect(performance.now() - start).toBeLessThan(1500);
      expect(reads).toBe(4);
    }));

  it('gives up at the deadline, or at once when stopped', () =>
    withOne(async (stores) => {
      const start = performance.now();
      expect(await awaitAttempt(stores, waiting.id, { stop, wait: 40, every: 10 })).toBeUndefined();
      expect(await awaitAttempt(stores, waiting.id, { stop: AbortSignal.abort() })).toBeUndefined();
      expect(performance.now() - start).toBeLessThan(15 * SECOND);
    }));
});
