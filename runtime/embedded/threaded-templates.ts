/**
 * Renders templates in a thread of their own, started at the first one. Leaves out those of a subscription that have taken too
 * much time together: the channel then sends its default message, with the reason as a remark.
 */

import { Worker } from 'node:worker_threads';
import type { Links } from '../../core/messages/link.ts';
import { SECOND } from '../../core/model/time.ts';
import type { Channel, OutboundMessage, RenderedTemplate } from '../../core/ports/channel.ts';

export interface TemplateRequest {
  readonly id: number;
  readonly message: OutboundMessage;
  readonly links: Links;
}

export interface TemplateReply {
  readonly id: number;
  readonly rendered: RenderedTemplate | undefined;
  /** Milliseconds that it took, without the start of the thread. */
  readonly ms: number;
}

export interface ThreadedTemplates {
  /** The same channel, whose templates are rendered in the thread. */
  channelWith(channel: Channel): Channel;
  close(): Promise<void>;
}

/** Milliseconds that the templates of one subscription may take within a minute. Ordinary ones take less than one each. */
const MAX_MS_PER_MINUTE = 3 * SECOND;
const RECOVERED_PER_MS = MAX_MS_PER_MINUTE / (60 * SECOND);

/** The engine ends a slow rendering after a quarter of a second. A thread that does not respond for longer is ended. */
const MAX_WAIT_MS = 10 * SECOND;

const MAX_SUBSCRIPTIONS = 1000;

export function threadedTemplates(links: Links): ThreadedTemplates {
  const spent = new Map<string, { readonly ms: number; readonly at: number }>();
  const pending = new Map<number, (reply: Omit<TemplateReply, 'id'>) => void>();
  let worker: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let requests = 0;

  const start = (): Worker => {
    const isSource = import.meta.url.endsWith('.ts');
    const started = new Worker(new URL(isSource ? './template-thread.ts' : './template-thread.js', import.meta.url), {
      execArgv: isSource ? ['--import', new URL('../../bin/node-version.mjs', import.meta.url).href] : [],
      name: 'templates',
      env: {},
    });
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

  const usedBy = (name: string) => {
    const { ms, at } = spent.get(name) ?? { ms: 0, at: 0 };
    return Math.max(0, ms - (performance.now() - at) * RECOVERED_PER_MS);
  };

  const renderNow = async (message: OutboundMessage): Promise<RenderedTemplate | undefined> => {
    const { name } = message.subscription;
    if (usedBy(name) > MAX_MS_PER_MINUTE) {
      const limit = `${MAX_MS_PER_MINUTE / SECOND} s within a minute`;
      return { ...failed(`template: the templates of this subscription took more than ${limit}`), isLeftOut: true };
    }
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
      if (spent.size >= MAX_SUBSCRIPTIONS) spent.clear();
      spent.set(name, { ms: usedBy(name) + ms, at: performance.now() });
      return rendered;
    } finally {
      clearTimeout(timer);
      pending.delete(id);
    }
  };

  /** One at a time, so that the time of each is its own. */
  const render = (message: OutboundMessage) => {
    const rendering = last.then(() => renderNow(message));
    last = rendering.catch(() => {});
    return rendering;
  };

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
