/**
 * Warns at synthesis about subscriptions that the config no longer declares. Synthesis makes no requests, so the names are
 * compared with those in the template of the previous synthesis, if the output directory still has one.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Annotations, Stack, Stage } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Config } from '../runtime/config/config.ts';
import { rootStackOf } from './root-stack.ts';

/** Key of the template's section `Metadata`. Its value is the list of names. */
const METADATA_KEY = 'tidings:subscriptions';

/** Also writes the names into the template, for the next synthesis. */
export function warnAboutRemovedSubscriptions(
  scope: Construct,
  { subscriptions }: Pick<Config, 'subscriptions'>,
): void {
  const kept = new Set(subscriptions.flatMap(({ name, renamedFrom }) => [name, renamedFrom]));
  const deployment = rootStackOf(scope).stackName;
  for (const name of readPreviousNames(scope).filter((previous) => !kept.has(previous))) {
    Annotations.of(scope).addWarningV2(
      `TIDINGS_SUBSCRIPTION_REMOVED:${name}`,
      `subscription '${name}' is no longer in the config: the deployment will drop its unsent deliveries. List them with: ` +
        `tidings deliveries --subscription ${name} --aws ${deployment}. If it was renamed, set renamedFrom: ${name} on its ` +
        `successor. If this rolls a rename of the last week back, its former name keeps them. Once they are dropped, send them with: tidings replay --subscription ${name} --to NEW --aws ${deployment}`,
    );
  }
  Stack.of(scope).addMetadata(
    METADATA_KEY,
    subscriptions.map(({ name }) => name),
  );
}

/** Empty at the first synthesis, and for a template that cannot be read: it is about to be replaced. */
function readPreviousNames(scope: Construct): readonly string[] {
  const outdir = Stage.of(scope)?.outdir;
  if (outdir === undefined) return [];
  try {
    const template = JSON.parse(readFileSync(join(outdir, Stack.of(scope).templateFile), 'utf8'));
    const names: unknown = template?.Metadata?.[METADATA_KEY];
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}
