/** The thread that renders templates of subscriptions. A slow one delays the messages of others with a template, and nothing else. */

import { parentPort } from 'node:worker_threads';
import { sanitizeTemplateHtml } from '../../adapters/channels/email/template-html.ts';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import { threadCpuMillis } from '../../adapters/thread-cpu.ts';
import { compileAndRender } from '../../core/messages/template.ts';
import { traitsOf } from '../../core/ports/channel.ts';
import type { TemplateReply, TemplateRequest } from './threaded-templates.ts';

parentPort?.on('message', ({ id, message, links }: TemplateRequest) => {
  const parts = traitsOf(channelRegistry, message.subscription.to).templateParts;
  const from = threadCpuMillis();
  const rendered = compileAndRender(message, { links, parts, sanitizeHtml: sanitizeTemplateHtml });
  parentPort?.postMessage({ id, rendered, ms: threadCpuMillis() - from } satisfies TemplateReply);
});
