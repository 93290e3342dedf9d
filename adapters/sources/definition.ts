/**
 * `SourceDefinition`: everything about a kind of source in one object. Config, checks, `init`, links, polling and docs are
 * derived from it. A new kind is one folder with a definition and one line in index.ts; an incomplete definition does not
 * compile. The model (task, project, person, …) is ours: a source translates its rows into it.
 */

import type { Links } from '../../core/messages/link.ts';
import type { SourceApi, SourceTraits, WireRow } from '../../core/ports/source-api.ts';
import type { PolledResource } from '../../core/resources/resource.ts';
import type { Sleep } from './http/request-pacer.ts';

export interface SourceDefinition<Name extends string = string> {
  /** The value of `source.kind`. */
  readonly name: Name;
  /** The system as people call it: `Redmine`. */
  readonly title: string;
  /** One sentence for the config reference: the system, and where its users find their token. */
  readonly summary: string;
  /** The resources of the model that it has, and how each can be read. */
  readonly resources: ReadonlyMap<string, PolledResource>;
  /** `every` and `sweep` of the resources that are polled by default. */
  readonly cadences: Readonly<Record<string, readonly [every: string, sweep: string]>>;
  /** Requests per minute, unless the config says otherwise. @default 90 */
  readonly perMinute?: number;
  /** What its answers mean: the token's person, role and zone, who sees what, authors and history. */
  readonly traits: SourceTraits;
  /** Problems of `source.baseUrl` that the schema cannot express: `expected …`. @default - none */
  findUrlProblem?(baseUrl: URL): string | undefined;
  /** URLs of the pages of records, by resource. The config may name others. */
  links(baseUrl: string): Links;
  /** Whether the system at this URL is of this kind. Makes one or two requests without a token. */
  recognize(baseUrl: string, get: Probe): Promise<boolean>;
  /** Opens the client. Called at the first use; imports heavy modules here. */
  open(options: SourceClientOptions): Promise<SourceClient>;
}

/** Infers the name, and checks that no part is missing. */
export function defineSource<const Name extends string>(definition: SourceDefinition<Name>): SourceDefinition<Name> {
  return definition;
}

/** The status and the start of the body of a GET request without a token. Throws when there is no response. */
type Probe = (url: string) => Promise<{ readonly status: number; readonly headers: Headers; readonly body: string }>;

export interface SourceClientOptions {
  /** With or without a path: `https://work.example.com/api`. */
  readonly baseUrl: string;
  /** The API token, never shown. */
  readonly token: string;
  /** Connects to public addresses only, and to these ranges. @default - to any address */
  readonly allow?: readonly string[];
  /** Requests in any 60 seconds; more wait. Infinity turns it off. */
  readonly perMinute?: number;
  /** Retries of a read after 5xx, timeouts, resets and truncated bodies. @default 3 */
  readonly retries?: number;
  /** Milliseconds on a monotonic clock, for rate limit and durations. @default - `performance.now` */
  readonly now?: () => number;
  /** In [0, 1): jitter of retries. @default - `Math.random` */
  readonly random?: () => number;
  /** Waits for the rate limit and between retries. Rejects at once on abort. @default - `setTimeout` of `node:timers/promises` */
  readonly sleep?: Sleep;
}

export interface SourceClient extends SourceApi {
  /** Writes fields of a record. @default - the source is read only */
  update?(resource: string, id: string, fields: WriteFields, signal?: AbortSignal): Promise<WireRow>;
  /** Closes all connections once the requests in flight have ended. */
  close(): Promise<void>;
}

export type FieldValue = string | number | boolean | null | readonly (string | number)[];

/** Values as the core has them. Undefined values are omitted. */
export type WriteFields = Readonly<Record<string, FieldValue | undefined>>;
