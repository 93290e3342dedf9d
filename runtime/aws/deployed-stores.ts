/**
 * Where a deployed Tidings is found by the name of its stack: what the stack writes down and the command line reads.
 * Plain names without any SDK, so that both share them.
 */

import type { Duration } from '../../core/model/time.ts';

/** What a stack says of its stores, as JSON in one parameter. */
export interface DeployedStores {
  readonly snapshotsTable: string;
  readonly ledgerTable: string;
  readonly queueUrl: string;
  /** As deployed: what the command line writes must expire when the rest does, whatever the config at hand says. */
  readonly retention: Duration;
}

/** Name of that parameter. */
export const storesParameter = (stack: string) => `/tidings/${stack}/stores`;

/** Under this the command line keeps new secrets in Parameter Store, and deliver may read them all. */
export const managedSecretsPath = (stack: string) => `/tidings/secrets/${stack}/`;
