/** What a secret reference stands for, where that can be seen while a config is read. Never to be shown; reads no files. */

import type { Environment } from './config.ts';

/** The secret if it can be known now: not from files, and not from unset variables, which are reported elsewhere. */
export function knownSecret(reference: string, environment: Environment): string | undefined {
  if (/^(file|ssm|secret):/.test(reference)) return undefined;
  const secret = reference.replace(/\$\{([^}]*)\}/g, (unset, name: string) => environment[name] || unset);
  return secret.includes('${') ? undefined : secret;
}
