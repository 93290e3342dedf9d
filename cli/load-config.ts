/** Loads the config for where a command works: as this machine runs it, or as a stack in AWS does. */

import { cadenceInAws } from '../runtime/config/aws-references.ts';
import type { Config, Environment, SourceConfig } from '../runtime/config/config.ts';
import { loadConfig, loadConfigForAws } from '../runtime/config/load.ts';

interface ConfigFlags {
  readonly config: string;
  /** @default - this machine */
  readonly aws?: string;
}

const HINT = 'name the one that is deployed with --config';

export function loadConfigFor({ config, aws }: ConfigFlags, environment: Environment): Config {
  if (aws === undefined) return loadConfig(config, environment);
  const deployed = loadConfigForAws(config, environment, { hint: HINT }).config;
  return { ...deployed, sources: deployed.sources.map(asInAws) };
}

/** With the cadences that it has there. */
function asInAws(source: SourceConfig): SourceConfig {
  return { ...source, resources: source.resources.map((one) => ({ ...one, cadence: cadenceInAws(one.cadence) })) };
}
