/** Every function that reads text from outside, as a function of one text: for measuring how its time grows with the text. */

import type { ChannelDefinition } from '../../adapters/channels/definition.ts';
import { sanitizeDescription } from '../../adapters/channels/email/description-html.ts';
import { descriptionToText } from '../../adapters/channels/email/description-text.ts';
import { headerText } from '../../adapters/channels/email/header-text.ts';
import { readMailbox } from '../../adapters/channels/email/mailbox.ts';
import { renderMail } from '../../adapters/channels/email/render-mail.ts';
import { safeLink, visibleText } from '../../adapters/channels/email/sanitizer.ts';
import { sanitizeTemplateHtml } from '../../adapters/channels/email/template-html.ts';
import { parseAddress } from '../../adapters/channels/http/address.ts';
import { headerNameProblem, headerValueProblem } from '../../adapters/channels/http/headers.ts';
import { CHANNELS } from '../../adapters/channels/index.ts';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import { readBlockId } from '../../adapters/channels/slack/message-buttons.ts';
import { renderSlackMessage } from '../../adapters/channels/slack/render-slack-message.ts';
import { interpretApiResponse, interpretWebhookResponse } from '../../adapters/channels/slack/slack-response.ts';
import { isCidrRange } from '../../adapters/http/guard.ts';
import { readRedirectOrigin, readRequestId, readRetryAfter } from '../../adapters/http/response-headers.ts';
import { createExcerpt } from '../../adapters/sources/http/excerpt.ts';
import { indexAuthors } from '../../adapters/sources/work/attribution.ts';
import { readQuota, readServiceError } from '../../adapters/sources/work/envelope.ts';
import { buildPage } from '../../adapters/sources/work/page.ts';
import { decodeJob } from '../../adapters/sqs/job.ts';
import { readFilters } from '../../console/event-filters.ts';
import { safeReturnPath } from '../../console/paths.ts';
import { formToRequest } from '../../console/subscription-form.ts';
import { hideSecrets } from '../../core/delivery/signing/hide-secrets.ts';
import { signingKey } from '../../core/delivery/signing/sign.ts';
import { readUnsubscribeToken } from '../../core/delivery/signing/unsubscribe.ts';
import { compactJson } from '../../core/events/compact-json.ts';
import { deriveEvents } from '../../core/events/derive.ts';
import { compileGlob } from '../../core/filters/match.ts';
import { compilePattern, explainPattern, patternProblems } from '../../core/filters/pattern.ts';
import { subscriptionFromQuery } from '../../core/filters/query-compile.ts';
import { splitWords } from '../../core/filters/query-words.ts';
import { clip } from '../../core/messages/clip.ts';
import { escapeHtml } from '../../core/messages/escape.ts';
import { escapeMarkdown } from '../../core/messages/escape-markdown.ts';
import { fitText } from '../../core/messages/fit-text.ts';
import { httpLink, linkTo } from '../../core/messages/link.ts';
import { findPeopleConcerned } from '../../core/messages/people-concerned.ts';
import { compileAndRender } from '../../core/messages/template.ts';
import { TEMPLATE_LIMITS } from '../../core/messages/template-engine.ts';
import { isDay } from '../../core/model/calendar.ts';
import { runAtOnce } from '../../core/model/steps.ts';
import { parseDuration, parseInstant } from '../../core/model/time.ts';
import { type OutboundMessage, traitsOf } from '../../core/ports/channel.ts';
import { resourceOf } from '../../core/resources/catalogue.ts';
import { cleanRow, cleanValue } from '../../core/resources/clean.ts';
import type { FieldType } from '../../core/resources/field.ts';
import { labelOf } from '../../core/resources/field-labels.ts';
import { htmlText } from '../../core/resources/html-text.ts';
import { compare } from '../../core/snapshot/compare.ts';
import { verify } from '../../kit/verify.ts';
import { compileSearch } from '../../manage/api/event-search.ts';
import { decodeCursor, parsePeriodStart } from '../../manage/api/http/read-request.ts';
import { readSubscriptionInput } from '../../manage/api/subscriptions/subscription-input.ts';
import { readMetadata } from '../../manage/slack/modal.ts';
import { readCommandText } from '../../manage/slack/slack-command.ts';
import { readHttpBody, readSlackRequest } from '../../manage/slack/slack-request.ts';
import { findSignatureProblem } from '../../manage/slack/verify-signature.ts';
import { parseConfig } from '../../runtime/config/load.ts';
import { parseSubscription } from '../../runtime/config/load-subscription.ts';
import { example, LINKS, peopleSubscription, sampleMessage } from '../pictures/sample-messages.ts';
import { NOON, SECRET, snapshot } from '../samples.ts';

export interface TextReader {
  readonly name: string;
  readonly read: (text: string) => unknown;
  /** Characters beyond which the caller rejects the text. @default - no limit */
  readonly maxLength?: number;
  /** How long it may take, however its time grows, because `maxLength` bounds it. @default - the growth counts */
  readonly maxMillis?: number;
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

/** As many bytes as a request to the management API may have. */
const MAX_REQUEST_LENGTH = 256 * 1024;

const source = { baseUrl: 'https://api.example.com', token: 'file:token' };
const config = parseConfig('tidings.yaml', JSON.stringify({ source }), {});
const TYPES = ['task.overdue', 'task.closed', 'invoice.paid'];
const LIST = { operation: 'listEvents' };

const requestWith = (text: string) => ({
  events: [text, 'task.*'],
  where: { data: { record: { title: [text, { wildcard: `*${text}*` }] } } },
  url: `https://example.com/${text}`,
  headers: { 'x-team': text },
  template: { text },
  timeZone: text,
});

const formWith = (channel: string, text: string) =>
  new Map([
    ...[['channel', channel] as const, ['mode', 'fields'] as const],
    ...['events', 'where', 'digest.at', 'digest.days', 'quiet.from', 'quiet.days', 'rate', 'template.text'].map(
      (name) => [name, text] as const,
    ),
    ...['to.url', 'to.headers', 'to.to', 'to.webhook'].map((name) => [name, text] as const),
  ]);

const slackMention = (text: string) =>
  readSlackRequest({ type: 'event_callback', event: { type: 'app_mention', user: 'U1', channel: 'C1', text } });

/** What each channel makes of a record, without a template and with one. */
const CHANNEL_READERS: readonly TextReader[] = CHANNELS.flatMap((definition: ChannelDefinition) => {
  const { name, placeholder, templateParts: parts } = definition;
  const options = { links: LINKS, byTemplate: [], texts: {} };
  return [
    {
      name: `${name} message`,
      read: (text) => definition.render(sampleMessage([eventWith(text)]), placeholder, options),
    },
    {
      name: `${name} message, several events`,
      read: (text) => definition.render(sampleMessage([eventWith(text), eventWith(`${text}.`)]), placeholder, options),
    },
    ...(parts.text === undefined
      ? []
      : [
          {
            name: `${name} template`,
            read: (text: string) => compileAndRender(templateOf(text), { links: LINKS, parts }),
          },
        ]),
  ];
});

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
  { name: 'escapeMarkdown', read: escapeMarkdown },
  { name: 'fitText', read: (text) => fitText(text, (start) => start.length < 1000) },
  { name: 'headerText', read: (text) => headerText(text, 150) },
  { name: 'visibleText', read: visibleText },
  { name: 'safeLink', read: safeLink },
  { name: 'httpLink', read: httpLink },
  { name: 'linkTo', read: (text) => linkTo({ task: `https://example.com/{title}/${text}` }, eventWith(text)) },
  { name: 'findPeopleConcerned', read: (text) => findPeopleConcerned(eventWith(text)) },
  { name: 'sanitizeDescription', read: sanitizeDescription },
  { name: 'descriptionToText', read: (text) => descriptionToText(sanitizeDescription(text)) },
  // Its parser is quadratic in elements that are not closed.
  { name: 'sanitizeTemplateHtml', read: sanitizeTemplateHtml, maxLength: TEMPLATE_LIMITS.output, maxMillis: 200 },
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
  ...CHANNEL_READERS,
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
  // The management API and the console.
  {
    name: 'readSubscriptionInput',
    read: (text) =>
      runAtOnce(readSubscriptionInput(requestWith(text), { config, mode: 'embedded', name: 'x', types: TYPES })),
    maxLength: MAX_REQUEST_LENGTH,
  },
  { name: 'decodeCursor', read: (text) => decodeCursor(LIST, { after: text }) },
  {
    name: 'decodeCursor, decoded',
    read: (text) => decodeCursor(LIST, { after: Buffer.from(`listEvents ${text}`).toString('base64url') }),
  },
  { name: 'parsePeriodStart', read: (text) => parsePeriodStart(text, NOON) },
  { name: 'compileSearch, of a text', read: (text) => compileSearch({ text: 'x y' })?.(eventWith(text)) },
  ...['http', 'slack', 'email'].map((channel) => ({
    name: `formToRequest, ${channel}`,
    read: (text: string) => formToRequest(formWith(channel, text), { types: TYPES }),
    maxLength: MAX_REQUEST_LENGTH,
  })),
  { name: 'readFilters', read: (text) => readFilters(new URLSearchParams({ q: text, type: text, from: text })) },
  { name: 'safeReturnPath', read: (text) => safeReturnPath(`/console/${text}`) },
  // Slack's requests.
  { name: 'readCommandText', read: readCommandText },
  { name: 'readCommandText, subscribe', read: (text) => readCommandText(`subscribe x${text}`) },
  { name: 'readCommandText, pause', read: (text) => readCommandText(`pause 2${text}`) },
  { name: 'readCommandText, why', read: (text) => readCommandText(`why task${text}`) },
  { name: 'readSlackRequest, a command', read: (text) => readSlackRequest({ command: '/tidings', text }) },
  { name: 'readSlackRequest, a mention', read: slackMention },
  {
    name: 'readSlackRequest, links',
    read: (text) => slackMention(text.replaceAll(/[<@]/g, '<https:').slice(0, text.length)),
  },
  { name: 'readHttpBody, a form', read: (text) => readHttpBody('application/x-www-form-urlencoded', text) },
  {
    name: 'readHttpBody, JSON in a form',
    read: (text) => readHttpBody('', `payload=${encodeURIComponent(text.toWellFormed())}`),
    // A megabyte of body, in which brackets take three bytes.
    maxLength: 256 * 1024,
  },
  { name: 'readMetadata', read: (text) => readMetadata(text, { user: 'U1', userName: 'ann' }), maxLength: 3000 },
  { name: 'readBlockId', read: (text) => readBlockId(`tidings:evt_${text}`) },
  {
    name: 'findSignatureProblem',
    read: (text) => findSignatureProblem({ timestamp: text, signature: `v0=${text}`, body: text }, SECRET, NOON),
  },
  // Filters.
  { name: 'subscriptionFromQuery', read: (text) => subscriptionFromQuery(text, TYPES) },
  { name: 'splitWords', read: (text) => splitWords(text, []), maxLength: 2000 },
  { name: 'splitWords, a value', read: (text) => splitWords(`project:${text}`, []), maxLength: 2000 },
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
