/** Opens what the management API works on, on the data file of a running service. Polls and delivers nothing. */

import { randomBytes } from 'node:crypto';
import { channelRegistry, openChannels } from '../adapters/channels/registry.ts';
import { openHttpTransport } from '../adapters/http/http-transport.ts';
import type { Database } from '../adapters/sqlite/database.ts';
import { sqliteStores } from '../adapters/sqlite/stores.ts';
import type { ApiPorts } from '../manage/api/http/api-ports.ts';
import type { Config, Environment } from '../runtime/config/config.ts';
import { openServiceSecrets } from '../runtime/embedded/open-data-secrets.ts';
import { createConfigReader } from '../runtime/stored-sources.ts';
import { systemClock } from '../runtime/system-clock.ts';
import { createPacer } from './paced-stores.ts';

export interface ApiPortsOptions {
  /** Without the sources that are kept in the data. */
  readonly config: Config;
  readonly environment: Environment;
  readonly database: Database;
  /** Called after a write that a loop of the service waits for: a snapshot was changed, a job was queued. */
  readonly written: (what: 'changed' | 'queued') => void;
}

export function openApiPorts({ config, environment, database, written }: ApiPortsOptions): ApiPorts {
  const pacer = createPacer(database);
  const stores = sqliteStores(pacer.database);
  const secrets = openServiceSecrets(config, database, environment);
  const http = openHttpTransport({ allow: config.network.allow });
  const { channelFor } = openChannels({ config, secrets, http });
  const { snapshots } = stores;
  const queue = pacer.pace(stores.queue);
  return {
    ...stores,
    events: pacer.pace(stores.events),
    deliveries: pacer.pace(stores.deliveries),
    agenda: pacer.pace(stores.agenda),
    subscriptions: pacer.pace(stores.subscriptions),
    snapshots: {
      ...snapshots,
      async commit(...commits) {
        const outcomes = await snapshots.commit(...commits);
        written('changed');
        return outcomes;
      },
    },
    history: snapshots,
    queue: {
      ...queue,
      async send(...jobs) {
        await queue.send(...jobs);
        written('queued');
      },
    },
    secrets,
    channels: channelRegistry,
    channelFor,
    http,
    config,
    readConfig: createConfigReader(config, stores.storedSources, { clock: systemClock }),
    mode: 'embedded',
    clock: systemClock,
    randomBytes,
  };
}
