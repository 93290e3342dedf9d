/** Whether a deployment to AWS serves the management API: only if its config says so. */

import { readJsonObject } from '../../core/model/json.ts';
import type { ApiConfig, Config } from './config.ts';

export function servesApi({ manage }: Pick<Config, 'manage'>): boolean {
  return apiSection({ manage }) !== undefined;
}

/** Its options; undefined if it is off. */
export function apiSection({ manage }: Pick<Config, 'manage'>): ApiConfig | undefined {
  return manage?.api === 'off' ? undefined : manage?.api;
}

/** The same of a packed config. Any other text has no API. */
export function packedServesApi(text: string): boolean {
  const { config } = readJsonObject(text) ?? {};
  return typeof config === 'object' && config !== null && servesApi(config);
}
