/**
 * A channel as one object: `ChannelDefinition`. Config schema, docs, checks, limits, templates, secrets, permissions,
 * previews and senders are all derived from it. Adding a channel takes one folder with a definition and one line in
 * index.ts; a definition without one of these parts does not compile.
 */

import type * as z from 'zod';
import type { Links } from '../../core/messages/link.ts';
import type { Home } from '../../core/model/home.ts';
import type { Channel, ChannelTraits, OutboundMessage } from '../../core/ports/channel.ts';
import type { Secrets } from '../../core/ports/secrets.ts';
import type { AwsClientSettings } from '../aws/client-settings.ts';
import type { HttpTransport } from '../http/http-transport.ts';

export interface ChannelDefinition<Name extends string = string, Settings extends object = object>
  extends ChannelTraits<Settings> {
  readonly name: Name;
  /** One sentence for the config reference. */
  readonly summary: string;
  /** Where its messages can be sent from. */
  readonly homes: readonly Home[];
  /** Sections of the config that a subscription with this channel requires. */
  readonly needs: readonly 'mail'[];
  /** Keys of the settings, at any depth, whose values are secret references: never shown, and granted in AWS. */
  readonly secretKeys: readonly string[];
  /** Valid settings that reach nobody: they replace invalid ones while the rest of a config is checked. */
  readonly placeholder: Settings;
  /** The shape of the settings. zod is an argument, so that functions in AWS, which check no config, do not load it. */
  schema(kit: SchemaKit): z.ZodType<Settings>;
  /** Problems that the schema cannot express. Must not show secrets. */
  check(settings: Settings, context: CheckContext): readonly SettingsProblem[];
  /** The receiver as people know it, without secrets: `https://ops.example.com`, `Slack #finance`. */
  describeAddress(settings: Settings): string;
  /** What the role of the function that delivers must be allowed to do. */
  permissions(settings: Settings): readonly Permission[];
  /** What only a deployed stack can prove, and the command that proves it. */
  manualChecks(settings: Settings): readonly ManualCheck[];
  /** Mails that one message costs, as SES bills them. */
  mailsPerMessage(settings: Settings): number;
  /** What would be sent, without the parts that the subscription's template made. */
  render(message: OutboundMessage, settings: Settings, options: RenderOptions): Promise<RenderedParts>;
  /** Prepares to send. Called at the first message; loads what is heavy. */
  open(context: SenderContext): Promise<Sender<Settings>>;
  /** Prepares to look at receivers for `tidings check`, without sending anything. */
  openProbe(context: ProbeContext): Promise<ReceiverProbe<Settings>>;
}

/** Infers name and settings, and checks that no part is missing. */
export function defineChannel<const Name extends string, Settings extends object>(
  definition: ChannelDefinition<Name, Settings>,
): ChannelDefinition<Name, Settings> {
  return definition;
}

/** The targets of a definition: the members of the tagged union. */
export type TargetOf<Definition> =
  Definition extends ChannelDefinition<infer Name, infer Settings>
    ? { readonly channel: Name; readonly settings: Settings }
    : never;

/** zod, and the values that sections of a config share. */
export interface SchemaKit {
  readonly z: typeof z;
  /** Text that is not empty. `expected`: the message for everything else. */
  text(expected: string): z.ZodString;
  readonly url: z.ZodType<string>;
  readonly secret: z.ZodType<string>;
  /** For `refine` on a section: it also runs when one of the keys is invalid. */
  readonly whenSection: (payload: { readonly value: unknown }) => boolean;
}

export interface CheckContext {
  readonly home: Home;
  readonly network: { readonly allowHttp: boolean; readonly allow: readonly string[] };
  /** The secret behind a reference, where the environment has it; undefined for files, stores and unset variables. */
  readonly knownSecret: (reference: string) => string | undefined;
}

export interface SettingsProblem {
  /** Inside the settings: `['auth', 'basic', 'user']`. */
  readonly path: readonly PropertyKey[];
  /** What was expected. */
  readonly message: string;
  /** Whether the message goes on with the value in the file, which is hidden where it is a secret. */
  readonly showsValue: boolean;
}

export interface Permission {
  /** An IAM action: `events:PutEvents`. */
  readonly action: string;
  readonly service: string;
  readonly resource: string;
  /** The name of the resource in the stack's account and region, or an ARN. */
  readonly name: string;
}

export interface ManualCheck {
  readonly what: string;
  readonly how: string;
}

export interface RenderOptions {
  readonly links: Links;
  /** The stack in AWS that sends it, for commands in messages. @default - it is sent from elsewhere */
  readonly stack?: string;
  /** The parts that the template made. */
  readonly byTemplate: readonly string[];
}

export interface RenderedParts {
  readonly subject?: string;
  readonly text?: string;
  readonly html?: string;
  /** Slack's blocks, where no template made the text. */
  readonly blocks?: unknown;
  /** The JSON body of an event for machines. */
  readonly body?: unknown;
}

/** What the config says that senders and probes may need. */
export interface ChannelConfig {
  readonly links: Links;
  readonly network: { readonly allow: readonly string[] };
  /** `smtp`: a secret reference. @default - no mail is sent */
  readonly mail?: { readonly from: string; readonly smtp?: string };
  /** `secret`: a secret reference. @default - mails carry no unsubscribe link */
  readonly manage?: { readonly url?: string; readonly secret: string };
}

export interface SenderContext {
  readonly config: ChannelConfig;
  readonly secrets: Secrets;
  /** Shared by all channels that post over HTTP. */
  readonly http: HttpTransport;
  /** @default - it does not run in AWS */
  readonly aws?: AwsAccess;
}

/** What senders need to call services of AWS. */
export interface AwsAccess {
  /** Settings of the SDK clients for SES and EventBridge. @default - the SDK's own */
  readonly clientSettings: { readonly mail?: AwsClientSettings; readonly bus?: AwsClientSettings };
  /** The name of SES's configuration set. @default - that of the account, if it has one */
  readonly configurationSet?: string;
  /** The name of the stack, for commands in messages. */
  readonly stack?: string;
}

export interface Sender<Settings extends object = object> {
  channelFor(settings: Settings): Channel;
  /** Closes idle connections. */
  close(): Promise<void>;
}

export interface ProbeContext {
  readonly config: ChannelConfig;
  readonly secrets: Secrets;
}

/** Secrets, name, address, certificate, login: whatever can be found out about a receiver without sending to it. */
export interface ReceiverProbe<Settings extends object = object> {
  probe(settings: Settings): Promise<ProbeResult>;
}

export interface ProbeResult {
  readonly ok: boolean;
  /** The findings, or what is wrong, in a few words. */
  readonly finding: string;
  /** The origin of the receiver: the rest of an address may be secret. Empty when it is unknown. */
  readonly url: string;
}
