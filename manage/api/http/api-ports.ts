/** What the management API works on: the stores, the config, and the ways to receivers. The same in both modes. */

import type { HttpTransport } from '../../../adapters/http/http-transport.ts';
import type { MasterSecret } from '../../../adapters/secrets/master-secret.ts';
import type { Mode } from '../../../core/model/mode.ts';
import type { Target } from '../../../core/model/subscription.ts';
import type { Clock } from '../../../core/model/time.ts';
import type { Channel, ChannelRegistry } from '../../../core/ports/channel.ts';
import type { DatabaseStores } from '../../../core/ports/database-stores.ts';
import type { Queue } from '../../../core/ports/queue.ts';
import type { Secrets } from '../../../core/ports/secrets.ts';
import type { History } from '../../../core/ports/snapshot-store.ts';
import type { Config } from '../../../runtime/config/config.ts';

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
  readonly config: Config;
  readonly mode: Mode;
  readonly clock: Clock;
  readonly randomBytes: (size: number) => Uint8Array;
}
