/** What the management API works on: the stores, the config, and the ways to receivers. The same in both modes. */

import type { HttpTransport } from '../../../adapters/http/http-transport.ts';
import type { MasterSecret } from '../../../adapters/secrets/master-secret.ts';
import type { Mode } from '../../../core/model/mode.ts';
import type { Target } from '../../../core/model/subscription.ts';
import type { Clock, Duration } from '../../../core/model/time.ts';
import type { Channel, ChannelRegistry } from '../../../core/ports/channel.ts';
import type { DatabaseStores } from '../../../core/ports/database-stores.ts';
import type { LeaseStore } from '../../../core/ports/lease-store.ts';
import type { Queue } from '../../../core/ports/queue.ts';
import type { Secrets } from '../../../core/ports/secrets.ts';
import type { History } from '../../../core/ports/snapshot-store.ts';
import type { UnitMeter } from '../../../core/ports/unit-meter.ts';
import type { Config } from '../../../runtime/config/config.ts';
import type { ReadConfig } from '../../../runtime/stored-sources.ts';

export interface WorkLimits {
  /** Milliseconds of CPU time of one request. */
  readonly request: number;
  /** Milliseconds of CPU time of all requests of a caller within a minute. */
  readonly perMinute: number;
  /** Milliseconds from the first slice of a request to its last. API Gateway waits for 30 s. @default 25 s */
  readonly elapsed?: number;
  /** Requests with long work that wait for their turn. */
  readonly waiting: number;
}

export interface ApiPorts
  extends Omit<DatabaseStores, 'threads' | 'leases' | 'manifests' | 'sourceData' | 'documents'> {
  /** @default - past transitions are not kept */
  readonly history?: History;
  readonly queue: Queue;
  readonly secrets: Secrets & MasterSecret;
  readonly channels: ChannelRegistry;
  readonly channelFor: (target: Target) => Channel;
  /** Asks a receiver for its consent. */
  readonly http: Pick<HttpTransport, 'options'>;
  /** With the sources in effect when the request came. */
  readonly config: Config;
  /** The config with the sources in effect now. @default - they do not change */
  readonly readConfig?: ReadConfig;
  /** What the requests of one caller may cost. @default - 5 s of a request, 15 s a minute */
  readonly workLimits?: WorkLimits;
  /** Shares among processes the long requests that a caller may have at a time. @default - a single process answers all requests */
  readonly longRequests?: LeaseStore;
  /**
   * Called by a request before it waits for what its caller chose, or once it has worked for long. Throws 429 if its caller has
   * as many such requests as it may. @default - they are not limited
   */
  readonly beginLong?: () => Promise<void>;
  /** Counts what a request consumes of the database. @default - nothing limits it */
  readonly unitMeter?: UnitMeter;
  /**
   * Called by a request where it may stop: between reads, and before its first change. Throws 429 if its key has used up its units.
   * @default - they are not limited
   */
  readonly assertUnitsLeft?: () => void;
  /**
   * Whether a request that changes many things may start with more of them. False in time for its response: the function would be ended
   * with an error, and the caller would not learn how far it came. False, too, once its key has used up its units. @default - it may take its time
   * @param rest how long it takes. @default 10 s
   */
  readonly mayGoOn?: (rest?: Duration) => boolean;
  readonly mode: Mode;
  readonly clock: Clock;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** The same ports with the config in effect now. @param fresh whether it must have every completed change. @default false */
export async function withCurrentConfig(api: ApiPorts, fresh = false): Promise<ApiPorts> {
  const config = (await api.readConfig?.(fresh)) ?? api.config;
  return config === api.config ? api : { ...api, config };
}
