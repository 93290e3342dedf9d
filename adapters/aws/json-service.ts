/**
 * Asks a service of AWS that speaks JSON, with the credentials, region and connections of a client that is open anyway.
 * For services of which one or two operations are called: the SDK's own client of Parameter Store weighs 78 KB, that of
 * SES 61, nearly all of it errors and schemas of the operations that nobody here calls.
 */

import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SignatureV4 } from '@smithy/signature-v4';
import { type JsonObject, readJsonObject } from '../../core/model/json.ts';
import { AwsFault } from './call.ts';

export interface JsonServiceOptions {
  /** Lends credentials, region and connections. Its own endpoint is not used. */
  readonly client: Pick<DynamoDBClient, 'config'>;
  /** As its signatures have it: `ssm`. */
  readonly service: string;
  /** As its address has it: `email` for SES. @default - as its signatures have it */
  readonly host?: string;
  /** As the header that names the operation has it: `AmazonSSM`. @default - an operation is a path */
  readonly target?: string;
  /** @default - the client's */
  readonly region?: string | undefined;
  /** @default - AWS's own of that region */
  readonly endpoint?: string | undefined;
  /** How often it is asked when the trouble is passing. @default 3 */
  readonly tries?: number;
  /** For a service that may take longer to answer than the client waits for its own. @default - the client's */
  readonly connections?: DynamoDBClient['config']['requestHandler'];
}

/** As the SDK's clients are told when to stop. */
export interface By {
  readonly abortSignal: AbortSignal;
}

export interface JsonAnswer {
  readonly body: JsonObject;
  /** As the service names the request. */
  readonly requestId?: string;
}

/** Rejects with an AwsFault where the service said no. */
export type JsonService = (operation: string, input: object, by: By) => Promise<JsonAnswer>;

/** As often as the SDK tries, and with its first pause. */
const TRIES = 3;
const PAUSE = 100;

export function jsonService(options: JsonServiceOptions): JsonService {
  const { client, service, host = service, target, endpoint, tries = TRIES } = options;
  const { credentials, sha256, requestHandler, useFipsEndpoint } = client.config;
  const { connections = requestHandler, region = client.config.region } = options;
  const signer = new SignatureV4({ service, region, credentials, sha256 });

  const own = async () => {
    const name = (await useFipsEndpoint()) ? `${host}-fips` : host;
    const there = typeof region === 'string' ? region : await region();
    return `https://${name}.${there}.${suffixIn(there, client)}/`;
  };
  const askOnce: JsonService = async (operation, input, { abortSignal }) => {
    const url = new URL(endpoint ?? (await own()));
    const signed = await signer.sign({
      method: 'POST',
      protocol: url.protocol,
      hostname: url.hostname,
      ...(url.port === '' ? {} : { port: Number(url.port) }),
      path: target === undefined ? `${url.pathname.replace(/\/$/, '')}${operation}` : url.pathname,
      query: {},
      headers: {
        host: url.host,
        ...(target === undefined
          ? { 'content-type': 'application/json' }
          : { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `${target}.${operation}` }),
      },
      body: JSON.stringify(input),
    });
    const { response } = await connections.handle(signed, { abortSignal });
    const body = readJsonObject(await text(response.body));
    const requestId = response.headers['x-amzn-requestid'];
    if (response.statusCode !== 200 || body === undefined) throw refusal(response, requestId, body);
    return { body, ...(requestId === undefined ? {} : { requestId }) };
  };

  return async (operation, input, by) => {
    for (let tried = 1; ; tried++) {
      try {
        return await askOnce(operation, input, by);
      } catch (error) {
        if (tried >= tries || !isPassing(error)) throw error;
        await delay(PAUSE * 2 ** (tried - 1) * (0.5 + Math.random()), undefined, { signal: by.abortSignal });
      }
    }
  };
}

/** What addresses end with is another word in some parts of AWS, and DynamoDB's client knows them all. */
function suffixIn(region: string, { config }: JsonServiceOptions['client']): string {
  const { url } = config.endpointProvider({ Region: region });
  return url.hostname.replace(/^dynamodb\.[^.]+\./, '');
}

/** The name stands as `com.amazonaws.ssm#ParameterNotFound`, or with an address behind it. */
function refusal(
  { statusCode, headers }: { readonly statusCode: number; readonly headers: Readonly<Record<string, string>> },
  requestId: string | undefined,
  body: JsonObject = {},
): AwsFault {
  const full = String(body.__type ?? headers['x-amzn-errortype'] ?? 'Unknown');
  const fault = full.replace(/^.*#/, '').replace(/:.*$/s, '');
  return AwsFault.answered(fault, String(body.message ?? body.Message ?? ''), statusCode, requestId);
}

/** A fault of the service's own passing; anything else is the connection, which may be whole again. */
function isPassing(error: unknown): boolean {
  return !(error instanceof AwsFault) || error.trouble === 'throttled' || error.trouble === 'passing';
}
