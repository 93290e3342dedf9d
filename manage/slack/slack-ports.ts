/** What the Slack app works on. The same in both modes. */

import type { SlackApi } from '../../adapters/channels/slack/slack-api.ts';
import type { HttpTransport } from '../../adapters/http/http-transport.ts';
import type { MasterSecret } from '../../adapters/secrets/master-secret.ts';
import type { SourceClient } from '../../adapters/sources/definition.ts';
import type { Mode } from '../../core/model/mode.ts';
import type { Clock } from '../../core/model/time.ts';
import type { ChannelRegistry } from '../../core/ports/channel.ts';
import type { DatabaseStores } from '../../core/ports/database-stores.ts';
import type { Queue } from '../../core/ports/queue.ts';
import type { Secrets } from '../../core/ports/secrets.ts';
import type { History } from '../../core/ports/snapshot-store.ts';
import type { Config, SlackConfig, SourceConfig } from '../../runtime/config/config.ts';
import type { ChangeInTurn } from './change-in-turn.ts';
import type { NameEnding } from './name-ending.ts';
import type { SlackDirectory } from './slack-directory.ts';
import type { TakeTurn } from './take-turns.ts';

export interface SlackPorts extends Omit<DatabaseStores, 'manifests' | 'sourceData' | 'apiKeys'> {
  /** @default - past transitions are not kept */
  readonly history?: History;
  readonly queue: Queue;
  readonly secrets: Secrets & MasterSecret;
  readonly channels: ChannelRegistry;
  readonly http: Pick<HttpTransport, 'post'>;
  readonly slack: SlackApi;
  /** Asks Slack about people and channels. */
  readonly directory: SlackDirectory;
  readonly config: Config & { readonly slack: SlackConfig };
  readonly mode: Mode;
  readonly clock: Clock;
  /** Identifies this process as a lease holder. */
  readonly holder: string;
  readonly randomBytes: (size: number) => Uint8Array;
  /** Runs work that reads much. */
  readonly inTurn: TakeTurn;
  /** Runs work that changes the subscriptions of a channel. */
  readonly changeInTurn: ChangeInTurn;
  /** Of the names of subscriptions that are made in Slack. */
  readonly nameEnding: NameEnding;
  /** Opens the API of a source with the token of a person. */
  readonly openSourceAs: (source: Pick<SourceConfig, 'kind' | 'baseUrl'>, token: string) => Promise<SourceClient>;
}
