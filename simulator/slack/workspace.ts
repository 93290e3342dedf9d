/**
 * The channels of a Slack workspace, their members and messages, with a rate limit per channel. It knows nothing of HTTP.
 */

import type { Payload } from './payload.ts';
import { isFullMember, type Person } from './people.ts';

export interface PostedMessage extends Payload {
  /** Id of the channel. */
  readonly channel: string;
  /** Names the message within its channel: `1763200000.000100`. */
  readonly ts: string;
  /** The message it replies to. @default - none: a message of the channel */
  readonly threadTs?: string;
  /** A reply that is shown in the channel too. */
  readonly isBroadcast: boolean;
  readonly by: 'webhook' | 'bot' | 'person' | 'slackbot';
  /** The person who wrote it. @default - the app */
  readonly user?: string;
  /** Whether its text was changed. */
  readonly isEdited?: boolean;
}

/** A message that one person sees. */
export interface EphemeralMessage extends PostedMessage {
  readonly visibleTo: string;
}

export interface ChannelOptions {
  /** Without the `#`. */
  readonly name: string;
  /** @default false */
  readonly isPrivate?: boolean;
  /** Shared with another organisation. @default false */
  readonly isShared?: boolean;
  /** Ids of the people in it. @default - every full member */
  readonly members?: readonly string[];
  /** Whether the bot was invited. @default true */
  readonly hasBot?: boolean;
}

export interface SlackChannel {
  readonly id: string;
  /** Without the `#`. */
  readonly name: string;
  readonly isPrivate: boolean;
  /** Shared with another organisation. */
  readonly isShared: boolean;
  /** The person whose direct message with the bot this is. */
  readonly direct?: string;
  /** Undefined: every full member. */
  readonly members: ReadonlySet<string> | undefined;
  isArchived: boolean;
  /** Whether the bot was invited. */
  hasBot: boolean;
}

export interface WorkspaceOptions {
  /** Messages a second for each channel; Infinity for no limit. */
  readonly perSecond: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly people: readonly Person[];
}

export interface PostOptions {
  readonly by: PostedMessage['by'];
  /** @default - a message of the channel */
  readonly threadTs?: string | undefined;
  /** @default false */
  readonly isBroadcast?: boolean;
  /** @default - the app */
  readonly user?: string;
}

/** Window of the rate limit. */
const WINDOW_MS = 1000;

export class Workspace {
  readonly messages: PostedMessage[] = [];
  readonly ephemeral: EphemeralMessage[] = [];
  readonly people: readonly Person[];
  readonly now: () => number;
  readonly #channels: SlackChannel[];
  readonly #perSecond: number;
  readonly #recent = new Map<string, number[]>();
  #count = 0;

  constructor(channels: readonly (string | ChannelOptions)[], { perSecond, now, people }: WorkspaceOptions) {
    this.#perSecond = perSecond;
    this.now = now;
    this.people = people;
    this.#channels = channels.map((given, index) => {
      const options = typeof given === 'string' ? { name: given } : given;
      return {
        id: `C${String(index + 1).padStart(8, '0')}`,
        name: options.name,
        isPrivate: options.isPrivate ?? false,
        isShared: options.isShared ?? false,
        members: options.members === undefined ? undefined : new Set(options.members),
        isArchived: false,
        hasBot: options.hasBot ?? true,
      };
    });
  }

  get channels(): readonly SlackChannel[] {
    return this.#channels;
  }

  /** By id, or by name with or without its `#`. */
  find(channel: string): SlackChannel | undefined {
    return this.#channels.find(({ id, name }) => channel === id || channel === name || channel === `#${name}`);
  }

  person(id: string): Person | undefined {
    return this.people.find((one) => one.id === id);
  }

  isMember(channel: SlackChannel, person: Person): boolean {
    if (channel.direct !== undefined) return channel.direct === person.id;
    return channel.members === undefined ? isFullMember(person) : channel.members.has(person.id);
  }

  /** Channels that the person sees in their list. */
  channelsOf(person: Person): readonly SlackChannel[] {
    return this.#channels.filter(
      (one) => this.isMember(one, person) || (!one.isPrivate && one.direct === undefined && isFullMember(person)),
    );
  }

  /** Messages of a channel that the person sees, in the order they came. */
  messagesFor({ id }: SlackChannel, person: Person): readonly PostedMessage[] {
    const own = this.ephemeral.filter(({ channel, visibleTo }) => channel === id && visibleTo === person.id);
    return [...this.messages.filter(({ channel }) => channel === id), ...own].toSorted((a, b) =>
      a.ts < b.ts ? -1 : 1,
    );
  }

  /** The direct message of the bot with a member. */
  openDirect(member: string): SlackChannel {
    const id = `D${member.slice(1)}`;
    const channel = this.find(id);
    if (channel !== undefined) return channel;
    const direct: SlackChannel = {
      id,
      name: member,
      isPrivate: true,
      isShared: false,
      direct: member,
      members: undefined,
      isArchived: false,
      hasBot: true,
    };
    this.#channels.push(direct);
    return direct;
  }

  /** Seconds until the channel accepts the next message; 0 if it does now. */
  waitFor({ id }: SlackChannel): number {
    const now = this.now();
    const recent = (this.#recent.get(id) ?? []).filter((at) => now - at < WINDOW_MS);
    this.#recent.set(id, recent);
    if (recent.length < this.#perSecond) return 0;
    return Math.max(1, Math.ceil(((recent[0] ?? now) + WINDOW_MS - now) / 1000));
  }

  findMessage(channel: string, ts: string): PostedMessage | undefined {
    return this.messages.find((one) => one.channel === channel && one.ts === ts);
  }

  findEphemeral(channel: string, ts: string): EphemeralMessage | undefined {
    return this.ephemeral.find((one) => one.channel === channel && one.ts === ts);
  }

  /** A message of the app counts towards the rate limit of the channel. */
  post(channel: SlackChannel, payload: Payload, options: PostOptions): PostedMessage {
    if (options.by === 'bot' || options.by === 'webhook')
      this.#recent.set(channel.id, [...(this.#recent.get(channel.id) ?? []), this.now()]);
    const message = this.#message(channel, payload, options);
    this.messages.push(message);
    return message;
  }

  postEphemeral(channel: SlackChannel, payload: Payload, visibleTo: string, options: PostOptions): EphemeralMessage {
    const message = { ...this.#message(channel, payload, options), visibleTo };
    this.ephemeral.push(message);
    return message;
  }

  /** Replaces the content of a message, ephemeral or not. */
  edit({ channel, ts }: PostedMessage, payload: Payload): void {
    const replace = <Message extends PostedMessage>(list: Message[]) => {
      const index = list.findIndex((one) => one.channel === channel && one.ts === ts);
      const old = list[index];
      if (old !== undefined) list[index] = { ...old, ...payload, isEdited: true };
    };
    replace(this.messages);
    replace(this.ephemeral);
  }

  remove({ channel, ts }: Pick<PostedMessage, 'channel' | 'ts'>): void {
    for (const list of [this.messages, this.ephemeral]) {
      const index = list.findIndex((one) => one.channel === channel && one.ts === ts);
      if (index >= 0) list.splice(index, 1);
    }
  }

  #message(channel: SlackChannel, payload: Payload, options: PostOptions): PostedMessage {
    const { by, threadTs, isBroadcast = false, user } = options;
    this.#count += 1;
    const ts = `${Math.floor(this.now() / 1000)}.${String(this.#count).padStart(6, '0')}`;
    const thread = threadTs === undefined ? {} : { threadTs };
    const author = user === undefined ? {} : { user };
    return { ...payload, channel: channel.id, ts, ...thread, isBroadcast, by, ...author };
  }
}
