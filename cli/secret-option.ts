/** The secret options of the receiver commands: an environment variable, or the command line for a quick try. */

import { type Command, Option } from 'commander';
import { UsageError } from '../core/model/errors.ts';
import type { Environment } from '../runtime/config/config.ts';

export interface SecretFlags {
  readonly secret?: string;
  readonly secretEnv?: string;
}

export function addSecretOptions(command: Command, fallback: string): Command {
  return command
    .addOption(new Option('--secret <secret>', `the signing secret, 'whsec_…' (default: ${fallback})`))
    .addOption(
      new Option(
        '--secret-env <name>',
        'environment variable with the secret; keeps it out of the shell history',
      ).conflicts('secret'),
    );
}

/** Undefined when no secret is given. */
export function readSecret({ secret, secretEnv }: SecretFlags, environment: Environment): string | undefined {
  if (secretEnv === undefined) return secret;
  const value = environment[secretEnv];
  if (value !== undefined && value !== '') return value;
  throw new UsageError('TIDINGS_SECRET_UNAVAILABLE', `--secret-env: the environment variable ${secretEnv} is not set`);
}
