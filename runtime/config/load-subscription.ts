/**
 * Reads one subscription from a file of its own, in the words of the config. For trying it out: nothing is sent, so
 * where to it would go is only looked at for its shape, and its secrets need not be there.
 */

import * as z from 'zod';
import { eventTypes } from '../../core/events/catalogue.ts';
import { ConfigError, type ConfigProblem } from '../../core/model/errors.ts';
import type { Home } from '../../core/model/home.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { checkTypes, checkWhere } from './check.ts';
import { checkTemplate } from './check-template.ts';
import type { Environment } from './config.ts';
import { expand, parseText, parseTree, readText, withoutReported } from './load.ts';
import { describeIssues, type Path, problemAt } from './problems.ts';
import { subscriptionSchema } from './subscription-schema.ts';

/** A subscription without its target: enough to say what it wants. */
export type Wish = Pick<Subscription, 'name' | 'events' | 'where'>;

/** The place a subscription has in a config: the schema's own words are found by it. */
const PLACE: Path = ['subscriptions', 0];
const schema = z.object({ subscriptions: z.array(subscriptionSchema.partial({ to: true })) });

/** `custom`: event types of a config's own, which it may name too. */
export function loadSubscription(file: string, environment: Environment, custom: readonly string[] = []): Wish {
  const text = readText(file, 'subscription', 'name a file with name, events and where, as in the config');
  return parseSubscription(file, text, environment, custom);
}

export function parseSubscription(
  file: string,
  text: string,
  environment: Environment,
  custom: readonly string[] = [],
): Wish {
  const types = [...eventTypes.map(({ type }) => type), ...custom];
  const raw = { subscriptions: [parseText(file, text)] };
  const expanded = expand(raw, environment);
  const parsed = schema.safeParse(expanded.tree);
  const unset = expanded.problems.filter(({ path }) => !path.startsWith('subscriptions[0].to.'));
  const found = [
    ...describeIssues(parsed.error?.issues ?? [], raw),
    ...(parsed.data?.subscriptions ?? []).flatMap(({ events, where, to, template }) => [
      ...checkTypes(events, [...PLACE, 'events'], (path, expected) => problemAt(raw, path, expected), types),
      ...checkWhere(where, raw, [...PLACE, 'where']),
      // What a template may say depends on where it goes.
      ...(to === undefined
        ? []
        : checkTemplate({ template, channel: to.channel, events, custom: [] }, raw, [...PLACE, 'template'])),
    ]),
  ];
  const problems = [...unset, ...withoutReported(found, expanded.problems)];
  const [wish] = parsed.data?.subscriptions ?? [];
  if (problems.length > 0 || wish === undefined) throw new ConfigError(file, problems.map(inFile));
  const { name, events, where } = wish;
  return { name, events, ...(where === undefined ? {} : { where }) };
}

/**
 * A subscription that is to be added beside those of the config, checked as if it stood in it: with its network rules,
 * its mail server and its own event types.
 */
export function loadAddition(
  file: string,
  configFile: string,
  environment: Environment,
  home: Home = 'embedded',
): Subscription {
  const config = parseText(configFile, readText(configFile, 'config', 'name another with --config'));
  const addition = parseText(
    file,
    readText(file, 'subscription', 'name a file with one subscription, as in the config'),
  );
  const raw = { ...(typeof config === 'object' ? config : {}), subscriptions: [addition] };
  try {
    const [subscription] = parseTree(configFile, raw, environment, home).subscriptions;
    if (subscription === undefined) throw new ConfigError(file, [{ path: '', message: 'expected one subscription' }]);
    return { ...subscription, declared: false };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const own = error.problems.filter(({ path }) => path.startsWith('subscriptions[0]'));
    throw own.length === 0 ? error : new ConfigError(file, own.map(inFile));
  }
}

/** The path as the file has it: the subscription is all there is in it. */
function inFile({ path, message }: ConfigProblem): ConfigProblem {
  return { path: path.replace(/^subscriptions\[0\]\.?/, ''), message };
}
