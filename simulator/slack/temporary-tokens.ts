/** Temporary permissions that Slack gives to an app: trigger ids and response URLs, with their limits. It sends nothing. */

export interface Trigger {
  readonly user: string;
  readonly expiresAt: number;
  isUsed: boolean;
}

/** Where the answers to an interaction go. */
export interface ResponseTarget {
  readonly user: string;
  /** Id of the channel. */
  readonly channel: string;
  /** The message whose button was pressed. @default - none: a command */
  readonly source?: string;
}

interface ResponseUrl extends ResponseTarget {
  readonly expiresAt: number;
  uses: number;
}

const TRIGGER_MS = 3000;
const RESPONSE_MS = 30 * 60_000;
const MAX_RESPONSES = 5;

export class TemporaryTokens {
  readonly #now: () => number;
  readonly #triggers = new Map<string, Trigger>();
  readonly #responses = new Map<string, ResponseUrl>();
  #count = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  trigger(user: string): string {
    this.#count += 1;
    const id = `${this.#count}.1.standin${String(this.#count).padStart(8, '0')}`;
    this.#triggers.set(id, { user, expiresAt: this.#now() + TRIGGER_MS, isUsed: false });
    return id;
  }

  /** The person who caused it, or the error of the Web API. A trigger works once. */
  exchange(id: string): { readonly user: string } | { readonly error: string } {
    const trigger = this.#triggers.get(id);
    if (trigger === undefined) return { error: 'invalid_trigger_id' };
    if (trigger.isUsed) return { error: 'exchanged_trigger_id' };
    if (this.#now() >= trigger.expiresAt) return { error: 'expired_trigger_id' };
    trigger.isUsed = true;
    return { user: trigger.user };
  }

  /** Path of a response URL. */
  responsePath(target: ResponseTarget): string {
    this.#count += 1;
    const kind = target.source === undefined ? 'commands' : 'actions';
    const path = `/${kind}/T00000001/${this.#count}/standin${String(this.#count).padStart(8, '0')}`;
    this.#responses.set(path, { ...target, expiresAt: this.#now() + RESPONSE_MS, uses: 0 });
    return path;
  }

  isResponsePath(path: string): boolean {
    return /^\/(commands|actions)\//.test(path);
  }

  /** Where the answer goes, or why it is refused. Each call is one use. */
  respond(path: string): ResponseTarget | { readonly error: string } {
    const target = this.#responses.get(path);
    if (target === undefined) return { error: 'invalid_url' };
    if (this.#now() >= target.expiresAt) return { error: 'expired_url' };
    if (target.uses >= MAX_RESPONSES) return { error: 'used_url' };
    target.uses += 1;
    return target;
  }
}
