/** `tidings export` copies all data of an installation into a file; `tidings import` makes another installation continue with it. */

import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { channelRegistry } from '../adapters/channels/registry.ts';
import { fingerprintOf } from '../adapters/secrets/master-secret.ts';
import { lockForServing } from '../adapters/sqlite/serve-lock.ts';
import { UsageError } from '../core/model/errors.ts';
import type { PortableKind } from '../core/ports/portable-data.ts';
import type { Config } from '../runtime/config/config.ts';
import { openData, openExistingData } from '../runtime/embedded/data-directory.ts';
import { referenceLiterals } from '../runtime/embedded/reference-literals.ts';
import { markImport, unmarkImport } from '../runtime/embedded/unfinished-import.ts';
import { type DataLocation, withStores } from '../runtime/inspect/open-stores.ts';
import type { Stores } from '../runtime/inspect/stores.ts';
import { createArchive, exportedAt, openArchive } from '../runtime/move/archive.ts';
import { exportData } from '../runtime/move/export-data.ts';
import { importData } from '../runtime/move/import-data.ts';
import { formatNumber, pluralize, progressBar } from '../runtime/terminal/terminal.ts';
import type { Context, ExitCode } from './context.ts';
import { loadConfigFor } from './load-config.ts';
import { recordCommand } from './operator.ts';
import { awsOption, configOption, dataOption, jsonOption } from './options.ts';

interface ExportFlags extends DataLocation {
  readonly config: string;
  readonly json: boolean;
}

export function exportCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal, clock } = context;
  program
    .command('export')
    .summary('copy all data into one file, to move to AWS or back')
    .description(
      'Writes one file with all data and with the secrets of subscriptions. Only its owner can read it. serve must be stopped; a\n' +
        'stack must be deployed with paused: draining. An export that was interrupted continues. tidings import reads the file.',
    )
    .argument('<file>', 'the file to write')
    .addOption(configOption())
    .addOption(dataOption())
    .addOption(awsOption())
    .addOption(jsonOption())
    .action(async (file: string, { json, config: _, ...location }: ExportFlags) => {
      const origin = describeLocation(location);
      const report = await whileUnserved(location, context, false, () =>
        withStores(location, context, async (stores) => {
          const archive = createArchive(file);
          try {
            const progress = (entries: number) => terminal.progress(`exported ${formatNumber(entries)}`);
            return await exportData(stores, archive, { clock, origin, progress });
          } catch (error) {
            // Data that changed meanwhile are of no use: the next export starts from the beginning.
            if (error instanceof UsageError && error.code === 'TIDINGS_DATA_IN_USE') rmSync(file);
            throw error;
          } finally {
            archive.close();
            terminal.progress('');
          }
        }),
      );
      for (const warning of report.warnings) terminal.err(`warning: ${warning}; it is exported without that secret`);
      if (json) terminal.out(JSON.stringify({ file, origin, counts: Object.fromEntries(report.counts) }));
      else terminal.out(`wrote ${file}: ${describeCounts(report.counts)}; only you can read it`);
      exit(0);
    });
}

interface ImportFlags extends DataLocation {
  readonly config: string;
  readonly json: boolean;
}

export function importCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal } = context;
  program
    .command('import')
    .summary('continue with the data of tidings export, in AWS or here')
    .description(
      'Copies the data of a file of tidings export into a new data directory, or into a new stack that is deployed with\n' +
        'paused: true. Polling then continues where the other installation stopped: nothing is announced twice. An import that\n' +
        'was interrupted continues. The config is that of the new installation.',
    )
    .argument('<file>', 'a file that tidings export wrote')
    .addOption(configOption())
    .addOption(dataOption())
    .addOption(awsOption())
    .addOption(jsonOption())
    .action(async (file: string, { json, config: configFile, ...location }: ImportFlags) => {
      const config = loadConfigFor({ config: configFile, aws: location.aws }, context.environment);
      const archive = openArchive(file);
      try {
        const target = describeLocation(location);
        const at = exportedAt(archive, file);
        const report = await whileUnserved(location, context, true, () =>
          withStores(location, { ...context, make: true }, async (stores) => {
            const result = await importData(stores, archive, {
              target,
              channels: channelRegistry,
              declared: declaredIn(config, stores),
              master: await fingerprintOfMaster(config, stores),
              onStart: () => location.aws === undefined && markImport(location.data, file),
              progress: (done, total) => terminal.progress(`imported ${progressBar(done, total)}`),
            });
            if (location.aws === undefined) unmarkImport(location.data);
            const details = { exportedAt: at, from: archive.fact('origin') ?? '' };
            await recordCommand(stores, context, { action: 'data.imported', target: 'data', details });
            return result;
          }),
        );
        if (json)
          terminal.out(JSON.stringify({ file, target, exportedAt: at, counts: Object.fromEntries(report.counts) }));
        else {
          terminal.out(`imported into ${target}, as of ${at}: ${describeCounts(report.counts)}`);
          terminal.out(
            location.aws === undefined
              ? "start it with 'tidings serve'; do not start the other installation again"
              : 'deploy the stack without paused; do not start the other installation again',
          );
        }
        exit(0);
      } finally {
        archive.close();
        terminal.progress('');
      }
    });
}

function describeLocation({ aws, data }: DataLocation): string {
  return aws === undefined ? `directory ${resolve(data)}` : `stack ${aws}`;
}

/** Holds the lock of `serve` on a data directory meanwhile. @param make whether to make the directory */
async function whileUnserved<T>(
  { aws, data }: DataLocation,
  { pid }: Pick<Context, 'pid'>,
  make: boolean,
  work: () => Promise<T>,
): Promise<T> {
  if (aws !== undefined) return work();
  (make ? openData : openExistingData)(data).close();
  const lock = lockForServing(data, pid);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** As the installation stores them: with references in place of literal secrets. */
function declaredIn({ subscriptions }: Config, { secrets }: Pick<Stores, 'secrets'>): Config['subscriptions'] {
  const { keepLiteral } = secrets;
  return keepLiteral === undefined ? subscriptions : subscriptions.map((one) => referenceLiterals(one, keepLiteral));
}

async function fingerprintOfMaster(
  { manage }: Config,
  { secrets }: Pick<Stores, 'secrets'>,
): Promise<string | undefined> {
  return manage === undefined ? undefined : fingerprintOf(await secrets.resolve(manage.secret));
}

const NOUNS: Readonly<Record<PortableKind, readonly [string, string]>> = {
  subscription: ['subscription', 'subscriptions'],
  snapshot: ['record', 'records'],
  event: ['event', 'events'],
  delivery: ['delivery', 'deliveries'],
  thread: ['thread', 'threads'],
  key: ['key', 'keys'],
  usage: ['usage of keys', 'usages of keys'],
  audit: ['audit entry', 'audit entries'],
  document: ['document', 'documents'],
  scan: ['scan state', 'scan states'],
  source: ['source', 'sources'],
};

function describeCounts(counts: ReadonlyMap<PortableKind, number>): string {
  const parts = Object.entries(NOUNS).flatMap(([kind, [noun, plural]]) => {
    const count = counts.get(kind as PortableKind);
    return count === undefined ? [] : [pluralize(count, noun, plural)];
  });
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}
