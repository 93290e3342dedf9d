/** Every function that reads text from outside, as a function of one text: for measuring how its time grows with the text. */

import { sanitizeDescription } from '../../adapters/channels/email/description-html.ts';
import { descriptionToText } from '../../adapters/channels/email/description-text.ts';
import { headerText } from '../../adapters/channels/email/header-text.ts';
import { readMailbox } from '../../adapters/channels/email/mailbox.ts';
import { renderMail } from '../../adapters/channels/email/render-mail.ts';
import { safeLink, visibleText } from '../../adapters/channels/email/sanitizer.ts';
import { sanitizeTemplateHtml } from '../../adapters/channels/email/template-html.ts';
import { parseAddress } from '../../adapters/channels/http/address.ts';
import { headerNameProblem, headerValueProblem } from '../../adapters/channels/http/headers.ts';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import { renderSlackMessage } from '../../adapters/channels/slack/render-slack-message.ts';
import { interpretApiResponse, interpretWebhookResponse } from '../../adapters/channels/slack/slack-response.ts';
import { isCidrRange } from '../../adapters/http/guard.ts';
import { readRedirectOrigin, readRequestId, readRetryAfter } from '../../adapters/http/response-headers.ts';
import { decodeJob } from '../../adapters/sqs/job.ts';
import { readQuota, readServiceError } from '../../adapters/work-api/envelope.ts';
import { createExcerpt } from '../../adapters/work-api/excerpt.ts';
import { buildPage } from '../../adapters/work-api/page.ts';
import { hideSecrets } from '../../core/delivery/hide-secrets.ts';
import { signingKey } from '../../core/delivery/sign.ts';
import { readUnsubscribeToken } from '../../core/delivery/unsubscribe.ts';
import { compactJson } from '../../core/events/compact-json.ts';
import { deriveEvents } from '../../core/events/derive.ts';
import { clip } from '../../core/messages/clip.ts';
import { escapeHtml } from '../../core/messages/escape.ts';
import { httpLink, linkTo } from '../../core/messages/link.ts';
import { findPeopleConcerned } from '../../core/messages/people-concerned.ts';
import { compileAndRender } from '../../core/messages/template.ts';
import { TEMPLATE_LIMITS } from '../../core/messages/template-engine.ts';
import { isDay } from '../../core/model/calendar.ts';
import { parseDuration, parseInstant } from '../../core/model/time.ts';
import { type OutboundMessage, traitsOf } from '../../core/ports/channel.ts';
import { resourceOf } from '../../core/resources/catalogue.ts';
import { cleanRow, cleanValue } from '../../core/resources/clean.ts';
import type { FieldType } from '../../core/resources/field.ts';
import { labelOf } from '../../core/resources/field-labels.ts';
import { htmlText } from '../../core/resources/html-text.ts';
import { compare } from '../../core/snapshot/compare.ts';
import { indexAuthors } from '../../core/source/attribution.ts';
import { compileGlob } from '../../core/subscriptions/match.ts';
import { compilePattern, explainPattern, patternProblems } from '../../core/subscriptions/pattern.ts';
import { verify } from '../../kit/verify.ts';
import { parseConfig } from '../../runtime/config/load.ts';
import { parseSubscription } from '../../runtime/config/load-subscription.ts';
import { example, LINKS, peopleSubscription, sampleMessage } from '../pictures/sample-messages.ts';
import { NOON, SECRET, snapshot } from '../samples.ts';

export interface TextReader {
  readonly name: string;
  readonly read: (text: string) => unknown;
  /** Characters beyond which the caller rejects the text. @default - no limit */
  readonly maxLength?: number;
}

const task = resourceOf('task');
const excerpt = createExcerpt('token-of-an-account', 'Basic dG9rZW4=');
const response = (body: string) => ({ status: 500, body, headers: {} });
const FIELD_TYPES: readonly FieldType[] = [
  ...(['id', 'ids', 'names', 'text', 'html', 'email'] as const),
  ...(['date', 'datetime', 'number', 'decimal', 'boolean'] as const),
];

const page = (body: string) =>
  buildPage({
    resource: 'task',
    query: { offset: 0, limit: 100 },
    body: Buffer.from(body),
    took: 0,
    serverTime: null,
    excerpt,
  });

/** A record with the text in every field that messages show. */
const eventWith = (text: string) =>
  example('task.overdue', {
    title: text,
    summary: text,
    project: text,
    assignee: text,
    assigneeid: [text],
    tags: text,
  });

const templateOf = (text: string): OutboundMessage => {
  const template = { text: '{{ record.title | strip_html | truncatewords: 5 }} {{ record.summary | strip | escape }}' };
  return sampleMessage([eventWith(text)], { subscription: peopleSubscription('team', { template }) });
};

const { templateParts } = traitsOf(channelRegistry, { channel: 'email' });

const transitionTo = (text: string) => {
  const before = snapshot('1');
  return { before, after: { ...before, version: 2, record: { ...before.record, title: text, summary: text } } };
};

const findAuthor = (text: string) => {
  const note = { taskid: '1', note: text, personid: '7', person: text, datemodified: '2026-11-14 12:00:00' };
  const record = { ...snapshot('1').record, title: text, datemodified: '2026-11-14T12:00:00Z' };
  const changes = [{ field: 'title', from: 'x', to: text }];
  return indexAuthors([note])({ id: '1', before: snapshot('1'), record, changes } as never);
};

const signed = (headers: Readonly<Record<string, string>>, body: string) => {
  const complete = { 'webhook-id': 'evt_1', 'webhook-timestamp': '1700000000', ...headers };
  return verify({ secret: SECRET, headers: complete, body, now: 1_700_000_000_000 }).catch(() => undefined);
};

const WILDCARD = compilePattern({ a: [{ wildcard: '*a*aa*ab*' }, { 'anything-but': { wildcard: '*aab' } }] });
const ANY_CASE = compilePattern({
  a: [{ 'equals-ignore-case': 'ß'.repeat(200) }, { suffix: { 'equals-ignore-case': 'x' } }],
});
const LISTS = compilePattern({ a: { b: [{ exists: false }], c: ['x'] } });

export const TEXT_READERS: readonly TextReader[] = [
  // The API's records.
  ...FIELD_TYPES.map((type) => ({ name: `cleanValue ${type}`, read: (text: string) => cleanValue(text, type) })),
  { name: 'cleanRow', read: (text) => cleanRow(task, { id: '1', title: text, summary: text, other: text }) },
  { name: 'htmlText', read: htmlText },
  { name: 'compare', read: (text) => compare({ summary: text }, { summary: `<p>${text}</p>` }, task) },
  { name: 'deriveEvents', read: (text) => deriveEvents(transitionTo(text)) },
  { name: 'indexAuthors', read: findAuthor },
  { name: 'labelOf', read: labelOf },
  { name: 'compactJson', read: (text) => compactJson({ a: text, b: [text] }) },
  { name: 'buildPage', read: (text) => readPage(`{"status":"OK","listcount":"1","task":[${text}]}`) },
  { name: 'buildPage, in a text', read: (text) => readPage(`{"task":[{"id":"1","title":${JSON.stringify(text)}}]}`) },
  { name: 'readServiceError', read: readServiceError },
  { name: 'readQuota', read: (text) => readQuota({ quota: { quota: text, used: text, next_reset: text } }) },
  { name: 'createExcerpt', read: (text) => [excerpt.ofText(text), excerpt.ofBody(Buffer.from(text))] },
  // Messages.
  { name: 'clip', read: (text) => clip(text, 150) },
  { name: 'escapeHtml', read: escapeHtml },
  { name: 'headerText', read: (text) => headerText(text, 150) },
  { name: 'visibleText', read: visibleText },
  { name: 'safeLink', read: safeLink },
  { name: 'httpLink', read: httpLink },
  { name: 'linkTo', read: (text) => linkTo({ task: `https://example.com/{title}/${text}` }, eventWith(text)) },
  { name: 'findPeopleConcerned', read: (text) => findPeopleConcerned(eventWith(text)) },
  { name: 'sanitizeDescription', read: sanitizeDescription },
  { name: 'descriptionToText', read: (text) => descriptionToText(sanitizeDescription(text)) },
  { name: 'sanitizeTemplateHtml', read: sanitizeTemplateHtml, maxLength: TEMPLATE_LIMITS.output },
  { name: 'renderMail', read: (text) => renderMail(sampleMessage([eventWith(text)]), LINKS) },
  {
    name: 'renderMail of a template',
    read: (text) => renderMail(sampleMessage([eventWith('x')]), LINKS, { template: { text, subject: text } }),
  },
  { name: 'renderSlackMessage', read: (text) => renderSlackMessage(sampleMessage([eventWith(text)]), LINKS) },
  {
    name: 'renderSlackMessage of a template',
    read: (text) => renderSlackMessage(sampleMessage([eventWith('x')]), LINKS, { template: { text } }),
  },
  {
    name: 'compileAndRender',
    read: (text) => compileAndRender(templateOf(text), { links: LINKS, parts: templateParts }),
  },
  { name: 'readMailbox', read: (text) => readMailbox(text, 'to') },
  // Responses of receivers.
  { name: 'hideSecrets', read: (text) => hideSecrets(text, [SECRET, 'aaaaaaaaaaaaaaaaaaaaaaab', '&&&&&&&&&&<']) },
  { name: 'interpretWebhookResponse', read: (text) => interpretWebhookResponse(response(text), NOON) },
  { name: 'interpretApiResponse', read: (text) => interpretApiResponse(response(text), NOON) },
  {
    name: 'interpretApiResponse, after ok',
    read: (text) => interpretApiResponse(response(`{"ok":false,${text}`), NOON),
  },
  { name: 'readRetryAfter', read: (text) => readRetryAfter({ 'retry-after': text, date: text }, NOON) },
  { name: 'readRequestId', read: (text) => readRequestId({ 'x-request-id': text }) },
  {
    name: 'readRedirectOrigin',
    read: (text) => readRedirectOrigin({ location: text }, new URL('https://example.com')),
  },
  // Requests, tokens and messages of queues.
  { name: 'readUnsubscribeToken', read: (text) => readUnsubscribeToken(text, 'sixteen characters or more') },
  { name: 'verify, the signature', read: (text) => signed({ 'webhook-signature': text }, '{}') },
  { name: 'verify, the body', read: (text) => signed({ 'webhook-signature': `v1,${'A'.repeat(44)}` }, text) },
  {
    name: 'verify, the timestamp',
    read: (text) => signed({ 'webhook-timestamp': text, 'webhook-signature': 'v1,A' }, ''),
  },
  { name: 'decodeJob', read: (text) => decodeJob({ messageId: '1', body: text }) },
  // Filters.
  { name: 'wildcard', read: (text) => WILDCARD({ a: text }) },
  { name: 'equals-ignore-case', read: (text) => ANY_CASE({ a: text }) },
  { name: 'exists in a list', read: (text) => LISTS({ a: Array.from(text, (char) => ({ b: char, d: char })) }) },
  { name: 'explainPattern', read: (text) => explainPattern({ a: [{ wildcard: '*x*y' }] }, { a: text }) },
  {
    name: 'patternProblems',
    read: (text) => patternProblems({ a: [{ wildcard: text }, { prefix: text }], [text]: [1] }),
  },
  { name: 'compileGlob', read: (text) => compileGlob(text.slice(0, 100))(text) },
  // Settings: their values. The YAML around them is written by the person who deploys.
  {
    name: 'parseConfig, a value',
    read: (text) => parseConfig('tidings.yaml', JSON.stringify({ source: { token: text } }), {}),
  },
  {
    name: 'parseSubscription',
    read: (text) => parseSubscription('s.yaml', JSON.stringify({ name: text, events: [text] }), {}),
  },
  { name: 'parseAddress', read: parseAddress },
  { name: 'headerNameProblem', read: headerNameProblem },
  { name: 'headerValueProblem', read: headerValueProblem },
  { name: 'isCidrRange', read: isCidrRange },
  { name: 'signingKey', read: (text) => signingKey(`whsec_${text}`) },
  { name: 'parseInstant', read: parseInstant },
  { name: 'parseDuration', read: parseDuration },
  { name: 'isDay', read: isDay },
];

function readPage(body: string): unknown {
  const built = page(body);
  return [built.listCount?.(), built.content().rows.length];
}
