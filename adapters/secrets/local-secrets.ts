/** Secrets from the environment and from files: `${NAME}` inside a text, `file:PATH`, or the text itself. */

import { readFile } from 'node:fs/promises';
import { GiveUp, messageOf } from '../../core/model/errors.ts';
import type { Secrets } from '../../core/ports/secrets.ts';

export function localSecrets(environment: Readonly<Record<string, string | undefined>>): Secrets {
  return {
    async resolve(reference) {
      if (reference.startsWith('file:')) return readSecretFile(reference);
      if (/^(ssm|secret):/.test(reference)) {
        throw new GiveUp(
          'TIDINGS_SECRET_UNAVAILABLE',
          `'${reference}' is resolved in AWS only; here, use \${NAME} or file:PATH`,
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
    // Read anew each time: a mounted secret may be rotated under us.
    return (await readFile(reference.slice('file:'.length), 'utf8')).trim();
  } catch (error) {
    throw new GiveUp('TIDINGS_SECRET_UNAVAILABLE', `'${reference}' cannot be read: ${messageOf(error)}`);
  }
}
