/** Opens the parts of a function with the sources in effect, and again after a source was added, changed or removed. */

import { dynamoSourceStore } from '../../adapters/dynamodb/source-store.ts';
import { openTable } from '../../adapters/dynamodb/table.ts';
import { type Duration, MINUTE } from '../../core/model/time.ts';
import { createKnownZoneLookup } from '../../core/source/account/known-zone.ts';
import type { Config } from '../config/config.ts';
import { createConfigReader, type ReadConfig } from '../stored-sources.ts';
import { createZoneLookup } from '../zones.ts';
import { type AwsContext, type AwsContextOptions, openAwsContext, requireEnv } from './context.ts';
import { LEDGER_TABLE } from './environment.ts';

/** A function looks for a change of the sources this often: one small read. */
const LOOK_EVERY: Duration = MINUTE;

export interface AwsContextInEffect extends AwsContext {
  /** The config with the sources in effect now. */
  readonly readConfig: ReadConfig;
}

/**
 * @param open is called at the first invocation, and at the first one after a change
 * @param close ends what only the parts before the change use. @default - they have no connections of their own
 */
export function openWithSources<T>(
  options: AwsContextOptions | undefined,
  open: (aws: AwsContextInEffect) => T | Promise<T>,
  close: (parts: T) => Promise<void> = async () => {},
): () => Promise<T> {
  let context: AwsContextInEffect | undefined;
  let opened: { readonly config: Config; readonly parts: Promise<T> } | undefined;
  return async () => {
    context ??= withReader(openAwsContext(options));
    const { readConfig } = context;
    // What is in effect stays so while the table cannot be read, at first that of the config. The next invocation tries again.
    const declared = context.config;
    const config = await readConfig().catch(() => opened?.config ?? declared);
    if (opened?.config === config) return opened.parts;
    const before = opened;
    const opening = { config, parts: toPromise(open, withConfig(context, config)) };
    opened = opening;
    try {
      const parts = await opening.parts;
      // Not awaited: whatever it is, it must not delay or fail the work.
      void before?.parts.then(close).catch(() => {});
      return parts;
    } catch (error) {
      // The next invocation tries again.
      if (opened === opening) opened = before;
      throw error;
    }
  };
}

const toPromise = async <A, T>(open: (argument: A) => T | Promise<T>, argument: A): Promise<T> => open(argument);

/** For a function that reads the sources itself. */
export function withReader(aws: AwsContext): AwsContextInEffect {
  const { config, clients, environment, clock } = aws;
  const store = dynamoSourceStore(
    openTable({ client: clients.dynamodb, table: requireEnv(environment, LEDGER_TABLE) }),
  );
  return { ...aws, readConfig: createConfigReader(config, store, { clock, keepFor: LOOK_EVERY }) };
}

function withConfig(aws: AwsContextInEffect, config: Config): AwsContextInEffect {
  const { snapshots } = aws;
  return {
    ...aws,
    config,
    zoneOf: createZoneLookup(config.sources, snapshots),
    knownZoneOf: createKnownZoneLookup(config.sources, snapshots),
  };
}
