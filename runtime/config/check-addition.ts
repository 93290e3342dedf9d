/**
 * Checks one subscription that comes from outside as if it were part of a config that is already loaded, with the same
 * messages. Reads no file and resolves no reference.
 */

import { ConfigError, type ConfigProblem } from '../../core/model/errors.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { checkConfig } from './check.ts';
import type { Config, Environment } from './config.ts';
import { ANY_SECRET, ANY_URL, replaceInvalid } from './placeholders.ts';
import { describeIssues } from './problems.ts';
import { configSchema } from './schema.ts';
import { toSubscription } from './to-subscription.ts';

export interface AdditionOptions {
  readonly config: Pick<Config, 'customEvents' | 'network' | 'mail'>;
  /** The values of variables in place of secrets: they are checked and never shown. @default - none */
  readonly environment?: Environment;
}

const PLACE = 'subscriptions[0]';

/** Throws ConfigError with all problems. Their paths begin at the subscription: `to.http.url`. */
export function checkAddition(addition: unknown, { config, environment = {} }: AdditionOptions): Subscription {
  const raw = {
    source: { baseUrl: ANY_URL, token: ANY_SECRET },
    customEvents: config.customEvents,
    network: config.network,
    ...(config.mail === undefined ? {} : { mail: config.mail }),
    subscriptions: [addition],
  };
  const parsed = configSchema.safeParse(raw);
  const shape = describeIssues(parsed.error?.issues ?? [], raw);
  // One invalid value hides no other problem: the rest is checked with placeholders, which are not reported.
  const { config: checkable, isReplaced } = (parsed.success
    ? { config: parsed.data, isReplaced: () => false }
    : replaceInvalid(raw)) ?? { isReplaced: () => true };
  // As in AWS: private addresses are refused at once, and the signing secret is not known here.
  const further = checkable === undefined ? [] : checkConfig(checkable, raw, environment, 'aws');
  const problems = [...shape, ...further.filter(({ path }) => !isReplaced(path))].flatMap(relativeToAddition);
  const [subscription] = parsed.data?.subscriptions ?? [];
  if (problems.length > 0 || subscription === undefined) throw new ConfigError('subscription', problems);
  return { ...toSubscription(subscription), declared: false };
}

/** The rest of the config was valid when it was loaded, except that mail may be missing from it. */
function relativeToAddition({ path, message }: ConfigProblem): ConfigProblem[] {
  if (path === 'mail') return [{ path: 'to', message: `the config of this installation cannot send mail: ${message}` }];
  return path.startsWith(PLACE) ? [{ path: path.slice(PLACE.length).replace(/^\./, ''), message }] : [];
}
