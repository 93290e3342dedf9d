/** Loads the config for this machine or for an AWS stack. */

import { cadenceInAws } from '../runtime/config/aws-references.ts';
import type { Config, Environment, SourceConfig } from '../runtime/config/config.ts';
import { loadConfig, loadConfigForAws } from '../runtime/config/load.ts';

interface ConfigFlags {
  readonly config: string;
  /** @default - this machine */
  readonly aws?: string;
}

const HINT = 'use --config to name the deployed config';

export function loadConfigFor({ config, aws }: ConfigFlags, environment: Environment): Config {
  if (aws === undefined) return loadConfig(config, environment);
  const deployed = loadConfigForAws(config, environment, { hint: HINT }).config;
  return { ...deployed, sources: deployed.sources.map(asInAws) };
}

/** With the cadences that apply in AWS. */
export function asInAws(source: SourceConfig): SourceConfig {
  return { ...source, resources: source.resources.map((one) => ({ ...one, cadence: cadenceInAws(one.cadence) })) };
}
