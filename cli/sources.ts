/** `tidings sources`: lists the sources with their accounts, and detaches a source from the account of its stored records. */

import type { Command } from 'commander';
import { UsageError } from '../core/model/errors.ts';
import type { SourceData } from '../core/ports/source-data-store.ts';
import { describeAccount, readAccount, rememberAccount } from '../core/source/account/account.ts';
import { forgetSource } from '../core/source/forget-source.ts';
import { type DataLocation, withStores } from '../runtime/inspect/open-stores.ts';
import type { Stores } from '../runtime/inspect/stores.ts';
import { NO_SOURCES } from '../runtime/stored-sources.ts';
import { formatNumber, pluralize, table } from '../runtime/terminal/terminal.ts';
import { accountRecords, type ListedSource, sayAdded } from './backend/backend.ts';
import { withBackend } from './backend/open-backend.ts';
import type { Context, ExitCode, Location } from './context.ts';
import { addManageSourcesCommands } from './manage-sources.ts';
import { recordCommand } from './operator.ts';
import {
  addLocationOptions,
  awsOption,
  configOption,
  dataOption,
  jsonOption,
  locationFlags,
  rejectUnknownCommand,
  showDefaultOptions,
} from './options.ts';

export function sourcesCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const group = program
    .command('sources')
    .summary('list sources with their accounts; add, change and remove sources; forget or adopt the records of one');
  showDefaultOptions(group);
  listCommand(group, context, exit);
  addManageSourcesCommands(group, context, exit);
  forgetCommand(group, context, exit);
  adoptCommand(group, context, exit);
}

interface ListFlags extends Location {
  readonly json: boolean;
}

function listCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal } = context;
  const list = group
    .command('list', { isDefault: true })
    .summary('list the sources, of the config and added ones, with the account and the number of their stored records')
    .allowExcessArguments()
    .addOption(configOption());
  addLocationOptions(list)
    .addOption(jsonOption())
    .action(async ({ json, ...location }: ListFlags) => {
      rejectUnknownCommand(list);
      const sources = await withBackend(location, context, (backend) => backend.listSources());
      const lines = json ? sources.map((source) => JSON.stringify(source)) : describeSources(sources);
      for (const line of lines) terminal.out(line);
      if (sources.every(({ unused }) => unused !== null)) terminal.err(`!  ${NO_SOURCES}`);
      exit(0);
    });
}

function describeSources(sources: readonly ListedSource[]): readonly string[] {
  const used = sources.filter(({ unused }) => unused === null);
  const unused = sources.filter((one) => one.unused !== null);
  return [
    ...table(used.map(toRow)),
    ...unused.map(({ source, baseUrl, unused: reason }) => `${source}  not polled (${sayAdded(baseUrl)}): ${reason}`),
  ];
}

function toRow({ source, origin, baseUrl, account, records }: ListedSource): readonly string[] {
  const address = baseUrl === null ? '' : ` at ${baseUrl}`;
  const shownAccount = account === null ? `no account yet${address}` : describeAccount(account);
  return [source, shownAccount, sayRecords(records), origin === 'stored' ? 'added' : ''];
}

interface ForgetFlags extends DataLocation {
  readonly yes: boolean;
}

function forgetCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal, clock, pid } = context;
  group
    .command('forget')
    .summary('delete the stored records of a source, so that it can start over with another account')
    .description(
      'Deletes the snapshots of a source with their pending moments, its manifests and its scan states. Events and\n' +
        'deliveries stay. The next poll is a first poll: it sends no events.',
    )
    .argument('<name>', 'the source')
    .option('--yes', 'do not ask', false)
    .addOption(dataOption())
    .addOption(awsOption())
    .action(async (name: string, { yes, ...location }: ForgetFlags) => {
      const code = await withStores(location, context, async (stores): Promise<ExitCode> => {
        const records = accountRecords(await assertStored(stores, name, location));
        terminal.out(`source ${name}: ${sayRecords(records)}. Events and deliveries stay.`);
        if (!yes && !(await isConfirmed(context, `forget ${name}${locationFlags(location)}`))) return 1;
        const forgotten = await forgetSource({ ...stores, clock, holder: `forget/${pid}` }, name);
        if (forgotten === undefined) {
          throw new UsageError(
            'TIDINGS_SOURCE_BUSY',
            `source '${name}' is being polled: stop tidings serve, or with --aws set aws.paused, and try again`,
          );
        }
        const details = { records: Object.values(records).reduce((sum, count) => sum + count, 0) };
        await recordCommand(stores, context, { action: 'source.forgotten', target: `source/${name}`, details });
        terminal.out(`forgot ${name}; its next poll is a first poll and sends no events`);
        return 0;
      });
      exit(code);
    });
}

function adoptCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal, clock } = context;
  group
    .command('adopt')
    .summary('keep the stored records of a source although its account looks different, e.g. after a move')
    .description(
      'Confirms that the account which the config now reaches is the one the stored records belong to: the API has another\n' +
        'address, or the token belongs to a person who sees none of the records. The next poll remembers the new account.\n' +
        'If it is another account, its records are sent as thousands of changes: use forget instead.',
    )
    .argument('<name>', 'the source')
    .addOption(dataOption())
    .addOption(awsOption())
    .action(async (name: string, location: DataLocation) => {
      await withStores(location, context, async (stores) => {
        await assertStored(stores, name, location);
        const memory = await readAccount(stores.snapshots, name);
        await rememberAccount({ ...stores, clock }, name, { ...memory, isAdopted: true }, undefined);
        await recordCommand(stores, context, { action: 'source.adopted', target: `source/${name}` });
        terminal.out(`source ${name}: the next poll adopts the account that the config names`);
      });
      exit(0);
    });
}

/** The stored data of a source. A name without any is probably misspelled. */
async function assertStored(stores: Stores, name: string, location: DataLocation): Promise<SourceData> {
  const data = await stores.sourceData.describe(name);
  if (Object.keys(data.records).length > 0) return data;
  throw new UsageError(
    'TIDINGS_SOURCE_UNKNOWN',
    `no records of a source '${name}' are stored; list sources with: tidings sources${locationFlags(location)}`,
  );
}

async function isConfirmed({ ask, terminal }: Context, command: string): Promise<boolean> {
  if (ask === undefined) {
    throw new UsageError('TIDINGS_CONFIRMATION_MISSING', `not confirmed: run tidings sources ${command} --yes`);
  }
  const isYes = /^y(es)?$/i.test((await ask('Delete them? [y/N] ')).trim());
  if (!isYes) terminal.err('nothing was deleted');
  return isYes;
}

/** `153 stored records (15 project, 138 task)` */
function sayRecords(records: SourceData['records']): string {
  const entries = Object.entries(records);
  const total = entries.reduce((sum, [, count]) => sum + count, 0);
  const each = entries.map(([resource, count]) => `${formatNumber(count)} ${resource}`).join(', ');
  return `${pluralize(total, 'stored record')}${entries.length === 0 ? '' : ` (${each})`}`;
}
