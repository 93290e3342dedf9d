/**
 * Asks a service of AWS that speaks JSON, with the credentials, region and connections of a client that is open anyway.
 * For a service of which one or two operations are called at every cold start: the SDK's own client of Parameter Store
 * weighs 78 KB, nearly all of it errors and schemas of the 150 operations that nobody here calls.
 */

import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SignatureV4 } from '@smithy/signature-v4';
import { type JsonObject, readJsonObject } from '../../core/model/json.ts';
import { AwsFault } from './ask.ts';

export interface JsonServiceOptions {
  /** Lends credentials, region and connections. Its own endpoint is not used. */
  readonly client: Pick<DynamoDBClient, 'config'>;
  /** As its address and its signatures have it: `ssm`. */
  readonly service: string;
  /** As the header that names the operation has it: `AmazonSSM`. */
  readonly target: string;
  /** @default - AWS's own of the client's region */
  readonly endpoint?: string | undefined;
}

/** As the SDK's clients are told when to stop. */
export interface By {
  readonly abortSignal: AbortSignal;
}

/** Rejects with an AwsFault where the service said no. */
export type JsonService = (operation: string, input: object, by: By) => Promise<JsonObject>;

/** As often as the SDK tries, and with its first pause. */
const TRIES = 3;
const PAUSE = 100;

export function jsonService({ client, service, target, endpoint }: JsonServiceOptions): JsonService {
  const { region, credentials, sha256, requestHandler } = client.config;
  const signer = new SignatureV4({ service, region, credentials, sha256 });

  const askOnce: JsonService = async (operation, input, { abortSignal }) => {
    const url = new URL(endpoint ?? addressOf(service, await region()));
    const signed = await signer.sign({
      method: 'POST',
      protocol: url.protocol,
      hostname: url.hostname,
      ...(url.port === '' ? {} : { port: Number(url.port) }),
      path: url.pathname,
      query: {},
      headers: {
        host: url.host,
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': `${target}.${operation}`,
      },
      body: JSON.stringify(input),
    });
    const { response } = await requestHandler.handle(signed, { abortSignal });
    const answer = readJsonObject(await text(response.body));
    if (response.statusCode === 200 && answer !== undefined) return answer;
    throw refusal(response.statusCode, response.headers, answer);
  };

  return async (operation, input, by) => {
    for (let tries = 1; ; tries++) {
      try {
        return await askOnce(operation, input, by);
      } catch (error) {
        if (tries === TRIES || !isPassing(error)) throw error;
        await delay(PAUSE * 2 ** (tries - 1) * (0.5 + Math.random()), undefined, { signal: by.abortSignal });
      }
    }
  };
}

function addressOf(service: string, region: string): string {
  return `https://${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}/`;
}

/** The name stands as `com.amazonaws.ssm#ParameterNotFound`, or with an address behind it. */
function refusal(status: number, headers: Readonly<Record<string, string>>, answer: JsonObject = {}): AwsFault {
  const full = String(answer.__type ?? headers['x-amzn-errortype'] ?? 'Unknown');
  const fault = full.replace(/^.*#/, '').replace(/:.*$/s, '');
  const words = String(answer.message ?? answer.Message ?? '');
  return AwsFault.answered(fault, words, status, headers['x-amzn-requestid']);
}

/** A fault of the service's own passing; anything else is the connection, which may be whole again. */
function isPassing(error: unknown): boolean {
  return !(error instanceof AwsFault) || error.trouble === 'throttled' || error.trouble === 'passing';
}
