/** Loads the config for where a command works: as this machine runs it, or as a stack in AWS does. */

import type { Config, Environment } from '../runtime/config/config.ts';
import { loadConfig, loadConfigForAws } from '../runtime/config/load.ts';

interface ConfigFlags {
  readonly config: string;
  /** @default - this machine */
  readonly aws?: string;
}

const HINT = 'name the one that is deployed with --config';

export function loadConfigFor({ config, aws }: ConfigFlags, environment: Environment): Config {
  return aws === undefined
    ? loadConfig(config, environment)
    : loadConfigForAws(config, environment, { hint: HINT }).config;
}
