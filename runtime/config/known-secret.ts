/** Resolves secret references from the environment while a config is checked. Reads no files; results must not be shown. */

import { replaceReferences } from '../../core/model/reference.ts';
import type { Environment } from './config.ts';

/** Undefined for references to files and stores, and for unset variables, which are reported elsewhere. */
export function knownSecret(reference: string, environment: Environment): string | undefined {
  if (/^(file|ssm|secret|kept|derived|sealed):/.test(reference)) return undefined;
  const secret = replaceReferences(reference, (unset, name) => environment[name] || unset);
  return secret.includes('${') ? undefined : secret;
}
