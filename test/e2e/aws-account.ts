/** A deployed stack in an emulated AWS account, and the environment variables that select it. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { stringify } from 'yaml';
import { DAY, SECOND } from '../../core/model/time.ts';
import { storesParameter } from '../../runtime/aws/deployed-stores.ts';
import { type CommandResult, runCommandAt } from '../cli/run-command.ts';
import { OPS, startWorld, TOKEN, type World } from '../functions/world.ts';

/** Id of the simulator's last status. */
const CLOSED = 7;

const RESOURCES = ['invoice', 'project', 'client', 'person', 'expense', 'document', 'group', 'projectmodule'];

export interface Account {
  readonly world: World;
  /** Path of the config. */
  readonly folder: string;
  /** Runs a command on the stack. */
  run(...argv: readonly string[]): Promise<CommandResult>;
  withConfig(...argv: readonly string[]): Promise<CommandResult>;
  /** Closes tasks, then runs poll and announce. Returns their subjects. */
  close(count: number): Promise<readonly string[]>;
  /** Acts as the queue's event source mapping until the queue is empty. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}

/** With one subscription, `ops`, to this receiver, and a completed baseline. */
export async function startAccount(receiver: string): Promise<Account> {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-aws-commands-'));
  const ops = { name: 'ops', events: ['task.closed'], to: { http: { url: receiver, secret: '${OPS}' } } };
  const world = await startWorld({ config: { subscriptions: [ops] } });
  const { queues, simulator, clock, functions } = world;
  const config = join(folder, 'tidings.yaml');
  writeFileSync(
    config,
    stringify({
      source: {
        baseUrl: simulator.url,
        token: TOKEN,
        timeZone: 'UTC',
        resources: Object.fromEntries(RESOURCES.map((name) => [name, 'off'])),
      },
      network: { allowHttp: true, allow: ['127.0.0.0/8'] },
      subscriptions: [{ ...ops, to: { http: { url: receiver, secret: OPS } } }],
    }),
  );
  leadToStack(world);
  const pollOnce = async () => {
    clock.advance(2 * SECOND);
    await functions.poll();
    await functions.announce(world.changes());
  };
  await functions.setup();
  await pollOnce();
  const open = simulator.account.list('task', { excludeclosed: 't' }).map(({ id }) => String(id));
  const run = (...argv: readonly string[]) => runCommandAt(clock.now(), [...argv, '--aws', 'Tidings']);
  return {
    world,
    folder,
    run,
    withConfig: (...argv) => run(...argv, '--config', config),
    async close(count) {
      const ids = open.splice(0, count);
      for (const id of ids) simulator.account.update('task', id, { statusid: CLOSED });
      await pollOnce();
      return ids.map((id) => `task/${id}`);
    },
    async drain() {
      for (;;) {
        const records = await queues.receive();
        if (records.length === 0) return;
        const { batchItemFailures } = await functions.deliver(records);
        await queues.settle(
          records,
          batchItemFailures.map(({ itemIdentifier }) => itemIdentifier),
        );
      }
    },
    async stop() {
      vi.unstubAllEnvs();
      await world.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The stack `Tidings`, with the tables and the queue of a world, in the environment of commands. */
export function leadToStack({
  names,
  queues,
  secrets,
  tables,
}: Pick<World, 'names' | 'queues' | 'secrets' | 'tables'>): void {
  secrets.values.set(
    storesParameter('Tidings'),
    JSON.stringify({
      snapshotsTable: names.snapshots,
      ledgerTable: names.ledger,
      queueUrl: queues.url,
      retention: 90 * DAY,
    }),
  );
  leadTo({
    AWS_ENDPOINT_URL_DYNAMODB: tables.endpoint,
    AWS_ENDPOINT_URL_SQS: queues.endpoint,
    AWS_ENDPOINT_URL_SSM: secrets.endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.endpoint,
  });
}

/** An environment with credentials only, independent of this machine's variables. */
export function leadTo(variables: Readonly<Record<string, string | undefined>>): void {
  const whole = {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_CONFIG_FILE: '/nowhere/config',
    AWS_SHARED_CREDENTIALS_FILE: '/nowhere/credentials',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_PROFILE: undefined,
    AWS_DEFAULT_REGION: undefined,
    ...variables,
  };
  for (const [name, value] of Object.entries(whole)) vi.stubEnv(name, value);
}
