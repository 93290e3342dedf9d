/** The parameter in which a stack publishes the names of its stores, and from which the CLI reads them. No SDK is imported here. */

import type { Duration } from '../../core/model/time.ts';

/** Content of the parameter, as JSON. */
export interface DeployedStores {
  readonly snapshotsTable: string;
  readonly ledgerTable: string;
  readonly queueUrl: string;
  /** The deployed value: data that the CLI writes must expire with the rest, even if the local config differs. */
  readonly retention: Duration;
  /** The address of the console's server. @default - the stack has no console */
  readonly consoleUrl?: string;
}

/** Name of the parameter. */
export const storesParameter = (stack: string) => `/tidings/${stack}/stores`;

/** Path in Parameter Store under which the CLI stores new secrets. The deliver function may read all of them. */
export const managedSecretsPath = (stack: string) => `/tidings/secrets/${stack}/`;

/** How the names of those begin that are tokens of sources: `poll` reads no others. */
export const MANAGED_TOKEN_PREFIX = 'source-';
