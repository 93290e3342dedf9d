/** `tidings validate`: checks a config offline, with the messages that every command would give. */

import { type Command, Option } from 'commander';
import { ConfigError, UsageError } from '../core/model/errors.ts';
import { assertDeliverable } from '../runtime/channels.ts';
import type { Config, Environment } from '../runtime/config/config.ts';
import { findConfigWarnings } from '../runtime/config/find-warnings.ts';
import { loadConfig, loadConfigForAws } from '../runtime/config/load.ts';
import { assertSecretFiles } from '../runtime/embedded/assert-secret-files.ts';
import { pluralize, type Terminal } from '../runtime/terminal/terminal.ts';
import type { Context, ExitCode } from './context.ts';
import { configOption, jsonOption } from './options.ts';
import { printWarnings } from './print-warnings.ts';

interface ValidateFlags {
  readonly config: string;
  readonly forAws: boolean;
  readonly json: boolean;
}

export function validateCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal, environment } = context;
  program
    .command('validate')
    .summary('check a config offline: keys, values, event types, filters, templates and secrets')
    .description(
      'Checks a config without a request, and reports all problems at once. Reads .env beside the config and its secret\n' +
        'files. `check` also tries the token and the receivers. Exit code 2 when the config is invalid, 1 when it\n' +
        'names fields that never occur.',
    )
    .addOption(configOption())
    .addOption(new Option('--for-aws', 'check the config for AWS, as cdk synth does').default(false))
    .addOption(jsonOption())
    .action(async (flags: ValidateFlags) => {
      try {
        const config = await validateConfig(flags, environment);
        const problems = findConfigWarnings(config);
        const isValid = problems.length === 0;
        const { sources, subscriptions } = config;
        const counts = `${pluralize(sources.length, 'source')}, ${pluralize(subscriptions.length, 'subscription')}`;
        if (flags.json) terminal.out(JSON.stringify({ file: flags.config, valid: isValid, problems }));
        else if (isValid) terminal.out(`${terminal.paint('green', '✔')}  ${flags.config} is valid: ${counts}`);
        else printWarnings(flags.config, problems, terminal);
        if (!flags.json) noteOffline(sources.length, isValid, terminal);
        exit(isValid ? 0 : 1);
      } catch (error) {
        if (flags.json) terminal.out(JSON.stringify({ file: flags.config, valid: false, problems: problemsOf(error) }));
        throw error;
      }
    });
}

/** Offline, the sources that are kept with the data are not known. */
function noteOffline(declared: number, isValid: boolean, { out }: Pick<Terminal, 'out'>): void {
  if (declared === 0)
    out(
      '   no sources in it: add each with: tidings sources add NAME --url URL; tidings check knows those that were added',
    );
  else if (!isValid)
    out('   only the sources of the config are known here; tidings check also knows those that were added');
}

/** Throws ConfigError or UsageError. */
async function validateConfig({ config: file, forAws }: ValidateFlags, environment: Environment): Promise<Config> {
  if (forAws) return loadConfigForAws(file, environment).config;
  const config = loadConfig(file, environment);
  assertDeliverable(config, 'embedded');
  await assertSecretFiles(config);
  return config;
}

function problemsOf(error: unknown): readonly { readonly path: string; readonly message: string }[] {
  if (error instanceof ConfigError) return error.problems;
  return error instanceof UsageError ? [{ path: '', message: error.message }] : [];
}
