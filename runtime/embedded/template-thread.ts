/** The thread that renders templates of subscriptions. A slow one delays the messages of others with a template, and nothing else. */

import { parentPort } from 'node:worker_threads';
import { sanitizeTemplateHtml } from '../../adapters/channels/email/template-html.ts';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import { threadCpuMillis } from '../../adapters/thread-cpu.ts';
import { compileAndRender } from '../../core/messages/template.ts';
import type { Template } from '../../core/model/subscription.ts';
import { traitsOf } from '../../core/ports/channel.ts';
import type { TemplateReply, TemplateRequest } from './threaded-templates.ts';

/** Each message is a copy: the same template is the same object again, because compiled ones are cached by it. */
const templates = new Map<string, Template>();
const MAX_TEMPLATES = 1000;

function intern(template: Template): Template {
  const text = JSON.stringify(template);
  const known = templates.get(text) ?? template;
  if (templates.size >= MAX_TEMPLATES) templates.clear();
  templates.set(text, known);
  return known;
}

parentPort?.on('message', ({ id, message, links }: TemplateRequest) => {
  const { subscription } = message;
  const { template } = subscription;
  const parts = traitsOf(channelRegistry, subscription.to).templateParts;
  const own =
    template === undefined ? message : { ...message, subscription: { ...subscription, template: intern(template) } };
  const from = threadCpuMillis();
  const rendered = compileAndRender(own, { links, parts, sanitizeHtml: sanitizeTemplateHtml });
  parentPort?.postMessage({ id, rendered, ms: threadCpuMillis() - from } satisfies TemplateReply);
});
