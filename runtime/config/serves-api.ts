/** What the config of a deployment to AWS decides about its parts: the management API, the console, the Slack app, queues of polls. */

import { readJsonObject } from '../../core/model/json.ts';
import type { ApiConfig, Config } from './config.ts';

export function servesApi({ manage }: Pick<Config, 'manage'>): boolean {
  return apiSection({ manage }) !== undefined;
}

export function servesConsole({ manage }: Pick<Config, 'manage'>): boolean {
  return manage?.console === 'on';
}

/** Whether people or programs manage the deployment over HTTP: both use the same functions, and need the same permissions. */
export function isManagedOverHttp(config: Pick<Config, 'manage'>): boolean {
  return servesApi(config) || servesConsole(config);
}

/** Whether others than the operator make subscriptions, which they own: keys, and channels of the Slack app. */
export function hasOwners(config: Pick<Config, 'manage' | 'slack'>): boolean {
  return isManagedOverHttp(config) || config.slack !== undefined;
}

/** Whether several executions share the polls: there are several sources, or people may add some. */
export function dividesPolls(config: Pick<Config, 'manage' | 'sources'>): boolean {
  return config.sources.length > 1 || isManagedOverHttp(config);
}

/** Its options; undefined if it is off. */
export function apiSection({ manage }: Pick<Config, 'manage'>): ApiConfig | undefined {
  return manage?.api === 'off' ? undefined : manage?.api;
}

/** The same of a packed config. Any other text serves neither. */
export function packedIsManaged(text: string): boolean {
  const { config } = readJsonObject(text) ?? {};
  return typeof config === 'object' && config !== null && isManagedOverHttp(config);
}

/** Whether a packed config has the console. */
export function packedHasConsole(text: string): boolean {
  const { config } = readJsonObject(text) ?? {};
  return typeof config === 'object' && config !== null && servesConsole(config);
}

/** Whether a packed config has the Slack app. */
export function packedHasSlack(text: string): boolean {
  const { config } = readJsonObject(text) ?? {};
  return typeof config === 'object' && config !== null && 'slack' in config && config.slack !== undefined;
}
