/**
 * Renders templates in a thread of their own, started at the first one, those of each owner in turn. Leaves out those of a
 * subscription or an owner that have taken too much time together: the channel then sends its default message, with the reason as a
 * remark.
 */

import { Worker } from 'node:worker_threads';
import type { Links } from '../../core/messages/link.ts';
import { createMapPruner } from '../../core/model/prune-map.ts';
import { MINUTE, SECOND } from '../../core/model/time.ts';
import type { Channel, OutboundMessage, RenderedTemplate } from '../../core/ports/channel.ts';
import { threadFile } from '../threads.ts';

export interface TemplateRequest {
  readonly id: number;
  readonly message: OutboundMessage;
  readonly links: Links;
}

export interface TemplateReply {
  readonly id: number;
  readonly rendered: RenderedTemplate | undefined;
  /** Milliseconds of CPU time that it took, without the start of the thread. */
  readonly ms: number;
}

export interface ThreadedTemplates {
  /** The same channel, whose templates are rendered in the thread. */
  channelWith(channel: Channel): Channel;
  close(): Promise<void>;
}

/** Milliseconds of CPU time that the templates of one subscription, and all those of one key, may take within a minute. */
interface TemplateLimits {
  readonly subscription: number;
  readonly owner: number;
}

/** Ordinary ones take less than a millisecond each. */
const LIMITS: TemplateLimits = { subscription: 3 * SECOND, owner: 6 * SECOND };

/** Exceeding the limit counts once in this time, as a single slow rendering does: see health.ts. */
const JUDGED_EVERY_MS = 10 * MINUTE;

/** The engine ends a slow rendering after a quarter of a second. A thread that does not respond for longer is ended. */
const MAX_WAIT_MS = 10 * SECOND;

/** Those that have recovered are forgotten. */
const MAX_REMEMBERED = 1000;

/** Time that was spent, which recovers as it passes. */
interface Spent {
  readonly ms: number;
  readonly at: number;
}

interface ThreadedTemplatesOptions {
  /** Milliseconds of any steady clock. @default - that of the process */
  readonly now?: () => number;
  /** @default - 3 s for a subscription, 6 s for a key */
  readonly limits?: TemplateLimits;
}

export function threadedTemplates(
  links: Links,
  { now = () => performance.now(), limits = LIMITS }: ThreadedTemplatesOptions = {},
): ThreadedTemplates {
  const spent = { subscription: new Map<string, Spent>(), owner: new Map<string, Spent>() };
  /** When a subscription last exceeded its limit. */
  const exceededAt = new Map<string, number>();
  const prune = createMapPruner(exceededAt, (at, time) => time - at >= 2 * JUDGED_EVERY_MS);
  /** What waits, by owner. The first one is served next, and goes to the end. */
  const lines = new Map<string, (() => Promise<void>)[]>();
  let isServing = false;
  const pending = new Map<number, (reply: Omit<TemplateReply, 'id'>) => void>();
  let worker: Worker | undefined;
  let requests = 0;

  const start = (): Worker => {
    const { file, execArgv } = threadFile('template-thread');
    const started = new Worker(file, { execArgv, name: 'templates', env: {} });
    started.on('message', ({ id, ...reply }: TemplateReply) => pending.get(id)?.(reply));
    started.on('error', () => {});
    started.on('exit', () => {
      if (worker === started) worker = undefined;
      for (const settle of pending.values())
        settle({ rendered: failed('template: it could not be rendered'), ms: MAX_WAIT_MS });
    });
    started.unref();
    return started;
  };

  const usedBy = (kind: keyof TemplateLimits, name: string) => {
    const { ms, at } = spent[kind].get(name) ?? { ms: 0, at: 0 };
    return Math.max(0, ms - ((now() - at) * limits[kind]) / MINUTE);
  };

  const spend = (kind: keyof TemplateLimits, name: string, ms: number) => {
    const all = spent[kind];
    if (all.size >= MAX_REMEMBERED) for (const one of all.keys()) if (usedBy(kind, one) === 0) all.delete(one);
    all.set(name, { ms: usedBy(kind, name) + ms, at: now() });
  };

  /** Undefined if the template may be rendered. */
  const leaveOut = ({ name, owner }: OutboundMessage['subscription']): RenderedTemplate | undefined => {
    const say = (whose: string, kind: keyof TemplateLimits) =>
      failed(`template: the templates of this ${whose} took more than ${limits[kind] / SECOND} s within a minute`);
    if (usedBy('subscription', name) > limits.subscription) {
      const isCounted = now() - (exceededAt.get(name) ?? Number.NEGATIVE_INFINITY) < JUDGED_EVERY_MS;
      if (!isCounted) {
        prune(now());
        exceededAt.set(name, now());
      }
      return { ...say('subscription', 'subscription'), isUnjudged: isCounted };
    }
    if (owner === undefined || usedBy('owner', owner) <= limits.owner) return undefined;
    return { ...say('key', 'owner'), isUnjudged: true };
  };

  const renderNow = async (message: OutboundMessage): Promise<RenderedTemplate | undefined> => {
    const { name, owner } = message.subscription;
    const leftOut = leaveOut(message.subscription);
    if (leftOut !== undefined) return leftOut;
    worker ??= start();
    const running = worker;
    requests += 1;
    const id = requests;
    const { promise, resolve } = Promise.withResolvers<Omit<TemplateReply, 'id'>>();
    pending.set(id, resolve);
    const timer = setTimeout(() => void running.terminate(), MAX_WAIT_MS);
    running.postMessage({ id, message, links } satisfies TemplateRequest);
    try {
      const { rendered, ms } = await promise;
      spend('subscription', name, ms);
      if (owner !== undefined) spend('owner', owner, ms);
      // A good rendering between two of such minutes does not show that the template is fast.
      const isRecent = now() - (exceededAt.get(name) ?? Number.NEGATIVE_INFINITY) < 2 * JUDGED_EVERY_MS;
      if (!isRecent) exceededAt.delete(name);
      return rendered?.isSlow === false && isRecent ? { ...rendered, isUnjudged: true } : rendered;
    } finally {
      clearTimeout(timer);
      pending.delete(id);
    }
  };

  /** One at a time, so that the time of each is its own. */
  const serve = async (): Promise<void> => {
    if (isServing) return;
    isServing = true;
    for (let [first] = lines; first !== undefined; [first] = lines) {
      const [party, line] = first;
      const next = line.shift();
      lines.delete(party);
      if (line.length > 0) lines.set(party, line);
      await next?.();
    }
    isServing = false;
  };

  const render = (message: OutboundMessage) =>
    new Promise<RenderedTemplate | undefined>((resolve, reject) => {
      const { name, owner } = message.subscription;
      const party = owner === undefined ? `subscription ${name}` : `key ${owner}`;
      const line = lines.get(party) ?? [];
      line.push(() => renderNow(message).then(resolve, reject));
      lines.set(party, line);
      void serve();
    });

  return {
    channelWith: (channel) => ({
      async send(message, signal) {
        if (message.subscription.template === undefined) return channel.send(message, signal);
        const rendered = await render(message);
        return channel.send(rendered === undefined ? message : { ...message, rendered }, signal);
      },
    }),
    async close() {
      await worker?.terminate();
    },
  };
}

const failed = (problem: string): RenderedTemplate => ({ texts: {}, values: {}, problem, problems: [], isSlow: true });
