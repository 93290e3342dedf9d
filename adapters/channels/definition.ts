/**
 * `ChannelDefinition`: everything about a channel in one object. Config schema, docs, checks, limits, templates, secrets,
 * permissions, previews and senders are derived from it. A new channel is one folder with a definition and one line in
 * index.ts; an incomplete definition does not compile.
 */

import type * as z from 'zod';
import type { Links } from '../../core/messages/link.ts';
import type { Mode } from '../../core/model/mode.ts';
import type { Channel, ChannelTraits, OutboundMessage } from '../../core/ports/channel.ts';
import type { Secrets } from '../../core/ports/secrets.ts';
import type { AwsClientSettings } from '../aws/client-settings.ts';
import type { HttpTransport } from '../http/http-transport.ts';
import type { ChannelForm } from './channel-form.ts';

export interface ChannelDefinition<Name extends string = string, Settings extends object = object>
  extends ChannelTraits<Settings> {
  readonly name: Name;
  /** One sentence for the config reference. */
  readonly summary: string;
  /** The modes in which it is available. */
  readonly modes: readonly Mode[];
  /** Sections of the config that a subscription with this channel requires. */
  readonly needs: readonly 'mail'[];
  /**
   * Keys of the settings whose variables stay references until a message is sent, because they may be secrets. In AWS
   * variables are replaced when the config is deployed. @default - none
   */
  readonly variableKeys?: readonly string[];
  /** Valid settings without a real receiver, for previews and forms. */
  readonly placeholder: Settings;
  /** How a form asks for the settings. Every setting has its words. */
  readonly form: ChannelForm;
  /**
   * The schema of the settings. A transform of a section may only narrow its type. zod is an argument, so that functions in
   * AWS, which do not check configs, do not load it.
   */
  schema(kit: SchemaKit): z.ZodType<Settings>;
  /** Problems that the schema cannot express. Must not show secrets. Settings of the wrong type are missing. */
  check(settings: ValidParts<Settings>, context: CheckContext): readonly SettingsProblem[];
  /** Valid settings that have no effect, such as a malformed member id. Must not show secrets. @default - none */
  findIneffective?(settings: Settings): readonly Omit<SettingsProblem, 'showsValue'>[];
  /** The display name of the receiver, without secrets: `https://ops.example.com`, `Slack #finance`. */
  describeAddress(settings: Settings): string;
  /** The IAM permissions of the function that delivers. */
  permissions(settings: Settings): readonly Permission[];
  /** Checks that need a deployed stack, and the command for each. */
  manualChecks(settings: Settings): readonly ManualCheck[];
  /** The number of mails per message that SES bills. */
  mailsPerMessage(settings: Settings): number;
  /** Renders the message, except the parts that the subscription's template rendered. */
  render(message: OutboundMessage, settings: Settings, options: RenderOptions): Promise<RenderedParts>;
  /** Opens the sender. Called at the first message; imports heavy modules here. */
  open(context: SenderContext): Promise<Sender<Settings>>;
  /** Opens the probe of receivers for `tidings check`, which sends nothing. */
  openProbe(context: ProbeContext): Promise<ReceiverProbe<Settings>>;
}

/** Infers name and settings, and checks that no part is missing. */
export function defineChannel<const Name extends string, Settings extends object>(
  definition: ChannelDefinition<Name, Settings>,
): ChannelDefinition<Name, Settings> {
  return definition;
}

/** The parts of zod that definitions may use. Not all of it: as a value, zod brings its messages in forty languages. */
type Zod = Pick<
  typeof z,
  | 'array'
  | 'boolean'
  | 'enum'
  | 'int'
  | 'json'
  | 'literal'
  | 'number'
  | 'object'
  | 'record'
  | 'strictObject'
  | 'string'
  | 'union'
  | 'unknown'
>;

/** zod, and the schemas that sections of a config share. */
export interface SchemaKit {
  readonly z: Zod;
  /** A text that is not empty. `expected` is the error message. */
  text(expected: string): z.ZodString;
  readonly url: z.ZodType<string>;
  readonly mailAddress: z.ZodType<string>;
  readonly secret: z.ZodType<string>;
  /** The `when` of a `refine` on a section that also runs if one of the keys is invalid. */
  readonly whenSection: (payload: { readonly value: unknown }) => boolean;
}

/** The parts of a value that have a valid shape: any other part is missing, and an item of a list is undefined. */
export type ValidParts<T> = T extends readonly (infer Item)[]
  ? readonly (ValidParts<Item> | undefined)[]
  : T extends object
    ? { readonly [Key in keyof T]?: ValidParts<T[Key]> }
    : T;

/** The facts about the installation that channels need. */
export interface CheckContext {
  /** The rules of the config. One that is missing is invalid there: what depends on it is not checked. */
  readonly network: { readonly allowHttp?: boolean; readonly allow?: readonly string[] };
  /** Whether private IP addresses are problems. `tidings check` reports those of a config in the embedded mode. */
  readonly refusesPrivateAddresses: boolean;
  /** Whether the config has the section `slack`. */
  readonly hasSlackApp: boolean;
  /** The secret that a reference stands for; undefined if it is not known here, such as one in a file or store. */
  readonly knownSecret: (reference: string) => string | undefined;
}

export interface SettingsProblem {
  /** The path in the settings: `['auth', 'basic', 'user']`. */
  readonly path: readonly PropertyKey[];
  /** `expected …` */
  readonly message: string;
  /** Whether the value in the file is appended to the message. Secrets are hidden. */
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

interface ManualCheck {
  readonly what: string;
  readonly how: string;
}

interface RenderOptions {
  readonly links: Links;
  /** The AWS stack that Tidings runs in, for commands in messages. @default - not in AWS */
  readonly stack?: string;
  /** The names of the parts that the template rendered. */
  readonly byTemplate: readonly string[];
  /** The texts among them. */
  readonly texts: Readonly<Record<string, string>>;
}

/**
 * Parts of a message by name: the template parts of the channel, and parts of its own. `payload` is the whole JSON that is
 * sent, with the template's texts in it.
 */
export type RenderedParts = Readonly<Record<string, unknown>>;

/** The part of the config that senders and probes need. */
export interface ChannelConfig {
  readonly links: Links;
  readonly network: { readonly allow: readonly string[] };
  /** `smtp`: a secret reference. @default - no mail is sent */
  readonly mail?: { readonly from: string; readonly smtp?: string };
  /** `secret`: a secret reference. @default - mails carry no unsubscribe link */
  readonly manage?: { readonly url?: string; readonly secret: string; readonly console?: 'on' | 'off' };
  /** `token`: a secret reference. @default - no Slack app: messages have no buttons, and each subscription its own token */
  readonly slack?: { readonly token: string; readonly api?: string };
}

export interface SenderContext {
  readonly config: ChannelConfig;
  readonly secrets: Secrets;
  /** Shared by all channels that use HTTP. */
  readonly http: HttpTransport;
  /** @default - not in AWS */
  readonly aws?: AwsAccess;
}

/** Settings for calling AWS services. */
interface AwsAccess {
  /** Settings of the SDK clients for SES and EventBridge. @default - the defaults of the SDK */
  readonly clientSettings: { readonly mail?: AwsClientSettings; readonly bus?: AwsClientSettings };
  /** The name of the SES configuration set. @default - the account's default, if any */
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

/** Checks a receiver without sending to it: its secrets, DNS name, addresses, certificate and login. */
export interface ReceiverProbe<Settings extends object = object> {
  probe(settings: Settings): Promise<ProbeResult>;
}

export interface ProbeResult {
  readonly ok: boolean;
  /** The result or the problem, in a few words. */
  readonly finding: string;
  /** The origin of the receiver, without the path, which may be secret. Empty if unknown. */
  readonly url: string;
}
