/**
 * The installation that a subscription is checked against, as facts: what its config has, and which secrets are known. Every
 * entrance passes all of them, so that the same subscription is valid everywhere.
 */

import type { CheckContext } from '../../adapters/channels/definition.ts';
import type { CustomEvent } from '../../core/events/custom-events.ts';
import type { Mode } from '../../core/model/mode.ts';
import { replaceReferences } from '../../core/model/reference.ts';
import type { Config, Environment } from './config.ts';

export interface Installation extends CheckContext {
  readonly mode: Mode;
  /** The event types of its config. Undefined while they are invalid: what depends on them is not checked. */
  readonly customEvents: readonly Pick<CustomEvent, 'type' | 'meaning'>[] | undefined;
  readonly sources: readonly PolledSource[];
  /** Whether the config has the section `mail`. */
  readonly hasMail: boolean;
}

interface PolledSource {
  readonly name: string;
  /** The names of the resources that are polled. */
  readonly resources: readonly string[];
}

/** Of a loaded config. @param knownSecret see `CheckContext` */
export function installationOf(
  { customEvents, network, sources, mail, slack }: Omit<Config, 'subscriptions'>,
  mode: Mode,
  knownSecret: Installation['knownSecret'],
): Installation {
  return {
    mode,
    customEvents,
    network,
    refusesPrivateAddresses: true,
    sources: sources.map(({ name, resources }) => ({
      name,
      resources: resources.map(({ resource }) => resource.name),
    })),
    hasMail: mail !== undefined,
    hasSlackApp: slack !== undefined,
    knownSecret,
  };
}

/**
 * Finds the values of secret references among environment variables. Undefined for references to files and stores, and for
 * unset variables, which are reported elsewhere. Reads no files; results must not be shown.
 */
export function environmentSecrets(environment: Environment): Installation['knownSecret'] {
  return (reference) => {
    if (/^(file|ssm|secret|kept|derived|sealed):/.test(reference)) return undefined;
    const secret = replaceReferences(reference, (unset, name) => environment[name] || unset);
    return secret.includes('${') ? undefined : secret;
  };
}
