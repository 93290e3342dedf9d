/**
 * The channels of a Slack workspace and their messages, with a rate limit per channel. It knows nothing of HTTP.
 */

import type { Payload } from './payload.ts';

export interface PostedMessage extends Payload {
  /** Id of the channel. */
  readonly channel: string;
  /** Names the message within its channel: `1763200000.000100`. */
  readonly ts: string;
  /** The message it replies to. @default - none: a message of the channel */
  readonly threadTs?: string;
  /** A reply that is shown in the channel too. */
  readonly isBroadcast: boolean;
  readonly by: 'webhook' | 'bot';
}

export interface SlackChannel {
  readonly id: string;
  /** Without the `#`. */
  readonly name: string;
  isArchived: boolean;
  /** Whether the bot was invited. */
  hasBot: boolean;
}

export interface WorkspaceOptions {
  /** Messages a second for each channel; Infinity for no limit. */
  readonly perSecond: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Window of the rate limit. */
const WINDOW_MS = 1000;

export class Workspace {
  readonly messages: PostedMessage[] = [];
  readonly #channels: SlackChannel[];
  readonly #options: WorkspaceOptions;
  readonly #recent = new Map<string, number[]>();
  #count = 0;

  constructor(names: readonly string[], options: WorkspaceOptions) {
    this.#options = options;
    this.#channels = names.map((name, index) => ({
      id: `C${String(index + 1).padStart(8, '0')}`,
      name,
      isArchived: false,
      hasBot: true,
    }));
  }

  get channels(): readonly SlackChannel[] {
    return this.#channels;
  }

  /** By id, or by name with or without its `#`. */
  find(channel: string): SlackChannel | undefined {
    return this.#channels.find(({ id, name }) => channel === id || channel === name || channel === `#${name}`);
  }

  /** The direct message of the bot with a member. */
  openDirect(member: string): SlackChannel {
    const id = `D${member.slice(1)}`;
    const known = this.find(id);
    if (known !== undefined) return known;
    const direct = { id, name: member, isArchived: false, hasBot: true };
    this.#channels.push(direct);
    return direct;
  }

  /** Seconds until the channel accepts the next message; 0 if it does now. */
  waitFor({ id }: SlackChannel): number {
    const now = this.#options.now();
    const recent = (this.#recent.get(id) ?? []).filter((at) => now - at < WINDOW_MS);
    this.#recent.set(id, recent);
    if (recent.length < this.#options.perSecond) return 0;
    return Math.max(1, Math.ceil(((recent[0] ?? now) + WINDOW_MS - now) / 1000));
  }

  hasMessage({ id }: SlackChannel, ts: string): boolean {
    return this.messages.some((one) => one.channel === id && one.ts === ts);
  }

  post(
    channel: SlackChannel,
    payload: Payload,
    { by, threadTs, isBroadcast = false }: { by: 'webhook' | 'bot'; threadTs?: string; isBroadcast?: boolean },
  ): PostedMessage {
    const now = this.#options.now();
    this.#recent.set(channel.id, [...(this.#recent.get(channel.id) ?? []), now]);
    this.#count += 1;
    const ts = `${Math.floor(now / 1000)}.${String(this.#count).padStart(6, '0')}`;
    const thread = threadTs === undefined ? {} : { threadTs };
    const message = { ...payload, channel: channel.id, ts, ...thread, isBroadcast, by };
    this.messages.push(message);
    return message;
  }
}
