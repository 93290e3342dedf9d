/** A validated config, from which the composition roots build the pipeline. Secrets are still references. */

import type { CustomEvent } from '../../core/events/custom-events.ts';
import type { Links } from '../../core/messages/link.ts';
import type { Rate, Subscription } from '../../core/model/subscription.ts';
import type { Duration } from '../../core/model/time.ts';
import type { PolledResource } from '../../core/resources/resource.ts';
import type { StageRules } from '../../core/snapshot/stage.ts';
import type { Cadence } from '../../core/source/plan.ts';

/** Names and values of the process's environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface SourceConfig {
  readonly name: string;
  /** The name of its `SourceDefinition`. */
  readonly kind: string;
  readonly baseUrl: string;
  /** A reference for `Secrets`. */
  readonly token: string;
  /** @default - the zone of the token's user */
  readonly timeZone?: string;
  readonly resources: readonly { readonly resource: PolledResource; readonly cadence: Cadence }[];
  /** Whether the first poll sends events about records that are already overdue. */
  readonly announceExisting: boolean;
  /** Whether to find the person who changed a task. */
  readonly attribution: boolean;
  readonly quota: {
    /** Share of the daily requests that is reserved for other uses of the API, 0 to 1. */
    readonly reserve: number;
    readonly perMinute: number;
  };
  /** Kept in the data, with the private ranges that it may be in. @default - declared in the config; it may be anywhere */
  readonly stored?: { readonly allow: readonly string[] };
}

/** A source that is kept in the data but not polled. */
export interface UnusedSource {
  readonly source: string;
  /** null: it cannot be read. */
  readonly baseUrl: string | null;
  readonly reason: string;
}

interface NetworkRules {
  /** Whether receivers may be on plain http. */
  readonly allowHttp: boolean;
  /** Private CIDR ranges that receivers may be in. */
  readonly allow: readonly string[];
}

interface TracingConfig {
  /** URL of the collector: `http://localhost:4318/v1/traces`. */
  readonly otlp: string;
  /** The name of this installation in traces. */
  readonly service: string;
  /** Headers of every request: references for `Secrets`. @default - none */
  readonly headers?: Readonly<Record<string, string>>;
}

interface MailConfig {
  /** `Tidings <tidings@example.com>` */
  readonly from: string;
  /** A reference for `Secrets`. @default - SES, in AWS */
  readonly smtp?: string;
}

interface ManageConfig {
  /** Public URL of the manage app. @default - the URL of the stack's API; required outside AWS */
  readonly url?: string;
  /** Signs links, and derives the secrets of subscriptions made through the API. A reference for `Secrets`. */
  readonly secret: string;
  /** @default - on in the embedded mode, off in AWS */
  readonly api?: 'off' | ApiConfig;
  /** Pages for people. @default - on at loopback in the embedded mode, off in AWS */
  readonly console?: 'on' | 'off';
}

/** The management API. */
export interface ApiConfig {
  /** Who may call it: holders of keys, or IAM identities. */
  readonly auth: 'keys' | 'iam';
  /** Requests of each caller. @default 600 per minute */
  readonly rate?: Rate;
  /** What each key may use beside its rate. @default - see manage/api/http/quotas.ts */
  readonly quotas?: {
    readonly subscriptions?: number;
    readonly bytes?: number;
    readonly comparisons?: number;
    readonly changes?: Rate;
    readonly previews?: Rate;
    readonly replays?: Rate;
    readonly deliveries?: Rate;
    readonly units?: Rate;
  };
  /** Origins of web pages that may call it. @default - none */
  readonly cors?: readonly string[];
}

/** The Slack app: channels subscribe themselves with commands. */
export interface SlackConfig {
  /** The bot's token. A reference for `Secrets`. */
  readonly token: string;
  /** Verifies requests of Slack over HTTP. A reference for `Secrets`. @default - no requests over HTTP */
  readonly signingSecret?: string;
  /** Opens the sockets of Socket Mode. A reference for `Secrets`. @default - no Socket Mode */
  readonly appToken?: string;
  /** Patterns of the event types that every channel may subscribe to. */
  readonly offer: readonly string[];
  /** Slack member ids of those who decide on everything else. */
  readonly admins: readonly string[];
  /** Base URL of Slack's API. @default https://slack.com/api/ */
  readonly api?: string;
}

export interface Config {
  readonly sources: readonly SourceConfig[];
  /** @default - none */
  readonly unusedSources?: readonly UnusedSource[];
  readonly rules: StageRules;
  readonly customEvents: readonly CustomEvent[];
  /** How long events, deliveries and transitions are kept. */
  readonly retention: Duration;
  readonly subscriptions: readonly Subscription[];
  readonly links: Links;
  /** @default - no mail is sent */
  readonly mail?: MailConfig;
  /** @default - nothing is traced */
  readonly tracing?: TracingConfig;
  /** @default - mails carry no unsubscribe link */
  readonly manage?: ManageConfig;
  /** @default - no Slack app */
  readonly slack?: SlackConfig;
  readonly network: NetworkRules;
}
