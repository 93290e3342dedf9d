/** Secrets from the environment and from files: `${NAME}` inside a text, `file:PATH`, or the text itself. */

import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { errorMessage, GiveUp } from '../../core/model/errors.ts';
import type { Secrets } from '../../core/ports/secrets.ts';

export interface LocalSecretsOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Stores new secrets, each in a file that only its owner can read. */
  readonly directory: string;
}

export function localSecrets({ environment, directory }: LocalSecretsOptions): Secrets {
  return {
    async keep(name, secret) {
      const file = resolve(directory, `${name}-${randomBytes(4).toString('hex')}`);
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await writeFile(file, `${secret}\n`, { mode: 0o600, flag: 'wx' });
      return `file:${file}`;
    },

    /** Never cached, so `fresh` has no effect. */
    async resolve(reference) {
      if (reference.startsWith('file:')) return readSecretFile(reference);
      if (/^(ssm|secret):/.test(reference)) {
        throw new GiveUp(
          'TIDINGS_SECRET_UNAVAILABLE',
          `'${reference}' can only be resolved in AWS; here, use \${NAME} or file:PATH`,
        );
      }
      return reference.replace(/\$\{([^}]*)\}/g, (_, name: string) => {
        const value = environment[name];
        if (value === undefined || value === '') {
          throw new GiveUp('TIDINGS_SECRET_UNAVAILABLE', `the environment variable ${name} is not set`);
        }
        return value;
      });
    },
  };
}

async function readSecretFile(reference: string): Promise<string> {
  try {
    // Read every time: a mounted secret may be rotated while we run.
    return (await readFile(reference.slice('file:'.length), 'utf8')).trim();
  } catch (error) {
    throw new GiveUp('TIDINGS_SECRET_UNAVAILABLE', `'${reference}' could not be read: ${errorMessage(error)}`);
  }
}
