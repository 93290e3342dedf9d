/**
 * Lambda entry of `manage`, behind API Gateway: health, unsubscribe pages, the management API and the console. The same app as in embedded
 * mode.
 */

import { randomBytes } from 'node:crypto';
import { handle, type LambdaEvent } from 'hono/aws-lambda';
import { dynamoAgenda } from '../adapters/dynamodb/agenda.ts';
import { dynamoAuditStore } from '../adapters/dynamodb/audit-store.ts';
import { dynamoRequestLimiter } from '../adapters/dynamodb/request-limiter.ts';
import { dynamoScanStateStore } from '../adapters/dynamodb/scan-state-store.ts';
import { dynamoSubscriptionStore } from '../adapters/dynamodb/subscription-store.ts';
import { Problem, problemBody } from '../manage/api/http/problem.ts';
import { manageApp } from '../manage/app.ts';
import { leadsElsewhere } from '../manage/raw-path.ts';
import type { AwsContext, AwsContextOptions } from '../runtime/aws/context.ts';
import { createLambdaHandler } from '../runtime/aws/lambda-handler.ts';
import { openLedger } from '../runtime/aws/ledger.ts';
import { openSecrets } from '../runtime/aws/secrets.ts';
import { type AwsContextInEffect, openWithSources } from '../runtime/aws/stored-sources.ts';
import { isManagedOverHttp } from '../runtime/config/serves-api.ts';
import { withDeclared } from '../runtime/with-declared.ts';

/** Of the whole response as JSON. Lambda would fail the invocation, and the caller would not learn why. */
const MAX_RESPONSE_BYTES = 6 * 1024 * 1024;

const TOO_LARGE = {
  statusCode: 500,
  headers: { 'content-type': 'application/problem+json' },
  body: JSON.stringify(
    problemBody(
      new Problem(500, 'TIDINGS_API_RESPONSE_TOO_LARGE', { detail: 'the response is larger than 6 MB: ask for less' }),
    ),
  ),
  isBase64Encoded: false,
} as const;

export function createManage(options?: AwsContextOptions) {
  const openParts = async (aws: AwsContextInEffect) => {
    const { config, snapshots, clock } = aws;
    const { manage } = config;
    const ledger = openLedger(aws);
    const { table } = ledger;
    const { api, console, close, dispose } = await loadApi(aws);
    const slack = await loadSlack(aws);
    // Without the API and the console the role may not write the audit trail.
    const mayWrite = api !== undefined || console !== undefined;
    const unsubscribe = manage && {
      snapshots,
      secrets: openSecrets(aws),
      secret: manage.secret,
      ...(mayWrite
        ? { trail: { audit: dynamoAuditStore(ledger), randomBytes }, requestLimiter: dynamoRequestLimiter(table) }
        : {}),
    };
    const app = manageApp({
      scanStates: dynamoScanStateStore(table),
      agenda: dynamoAgenda(table),
      // Renamed subscriptions are declared ones, and without the API the role may not list the others.
      subscriptions: {
        ...withDeclared(dynamoSubscriptionStore(table), config, clock),
        list: async () => config.subscriptions,
      },
      clock,
      sources: config.sources,
      unsubscribe,
      api,
      console,
      slack: slack?.app,
    });
    // By default Hono turns an error into a response, and Lambda would not count it.
    app.onError((error) => {
      throw error;
    });
    const closeAll = async () => {
      await Promise.all([close(), slack?.close()]);
    };
    return { respond: handle(app), close: closeAll, dispose };
  };
  const open = openWithSources(options, openParts, ({ dispose }) => dispose());
  return createLambdaHandler('manage', async (event: LambdaEvent, { log }) => {
    const { respond, close } = await open();
    try {
      if ('rawPath' in event && leadsElsewhere(event.rawPath)) return NOT_FOUND;
      if (!isKnownMethod(methodOf(event))) return NOT_ALLOWED;
      if (isBadBase64(event)) return BAD_BASE64;
      const response = await respond(acceptable(event));
      const bytes = Buffer.byteLength(JSON.stringify(response));
      if (bytes <= MAX_RESPONSE_BYTES) return response;
      log.error('response too large', { bytes });
      return TOO_LARGE;
    } finally {
      await close();
    }
  });
}

const NOT_FOUND = { statusCode: 404, headers: {}, body: '404 Not Found', isBase64Encoded: false } as const;

const NOT_ALLOWED = { statusCode: 405, headers: {}, body: '405 Method Not Allowed', isBase64Encoded: false } as const;

/** The function may also be called in other ways than by API Gateway. */
function methodOf(event: LambdaEvent): string | undefined {
  if ('rawPath' in event) return event.requestContext?.http?.method;
  return 'httpMethod' in event ? event.httpMethod : event.method;
}

/**
 * A route with any method gets every token, which Node checks where it listens itself. Hono looks a method up in plain objects: with
 * `__proto__` it would change all objects of the process.
 */
const isKnownMethod = (method = 'GET') => /^(get|head|post|put|patch|delete|options)$/i.test(method);

const BAD_BASE64 = {
  statusCode: 400,
  headers: {},
  body: 'expected a body in base64\n',
  isBase64Encoded: false,
} as const;

/** API Gateway sends none, but others may call the function. */
function isBadBase64({ body, isBase64Encoded }: LambdaEvent): boolean {
  return isBase64Encoded === true && !/^[A-Za-z0-9+/]*={0,2}$/.test(body ?? '');
}

/**
 * Without what Hono would refuse, with a stack in the log that any caller could fill, and what `tidings serve` ignores: the body of a GET,
 * and cookies beyond ASCII, which another site of the same domain may have set.
 */
function acceptable(event: LambdaEvent): LambdaEvent {
  if (!('rawPath' in event)) return event;
  const method = event.requestContext?.http?.method;
  const cookies = event.cookies?.filter((cookie) => /^[\x20-\x7e]*$/.test(cookie));
  const withCookies = { ...event, ...(cookies === undefined ? {} : { cookies }) };
  return method === 'GET' || method === 'HEAD' ? { ...withCookies, body: null, isBase64Encoded: false } : withCookies;
}

/** Only where the config turns it on: other deployments neither contain nor load it. */
async function loadApi(aws: AwsContextInEffect) {
  if (!isManagedOverHttp(aws.config))
    return { api: undefined, console: undefined, close: async () => {}, dispose: async () => {} };
  const { openManageApi } = await import('./manage-api.ts');
  return openManageApi(aws);
}

/** Modals are opened at once, all other calls to Slack are made by `deliver`. */
async function loadSlack(aws: AwsContext) {
  if (aws.config.slack === undefined) return undefined;
  const { openSlackDoor } = await import('./slack-parts.ts');
  return openSlackDoor(aws);
}

export const handler = createManage();
