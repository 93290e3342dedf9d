/**
 * Reads a table's stream through the Streams API, as Lambda's event source mapping does. The project does not depend on the
 * SDK's client for it: four signed JSON calls are enough.
 */

import { createHash, createHmac } from 'node:crypto';
import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';

export interface TableStream {
  /** Records since the last call; those of one shard in order. */
  take(): Promise<readonly DynamoDBRecord[]>;
}

interface Shard {
  readonly ShardId: string;
}

/** Starts at the beginning of the stream. */
export async function openStream(client: DynamoDBClient, TableName: string): Promise<TableStream> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  const StreamArn = Table?.LatestStreamArn;
  if (StreamArn === undefined) throw new Error(`table ${TableName} has no stream`);
  /** The next iterator of each shard. */
  const places = new Map<string, string>();

  const placeOf = async ({ ShardId }: Shard): Promise<string> => {
    const known = places.get(ShardId);
    if (known !== undefined) return known;
    const input = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' };
    const { ShardIterator } = await ask<{ readonly ShardIterator: string }>(client, 'GetShardIterator', input);
    return ShardIterator;
  };

  return {
    async take() {
      const { StreamDescription } = await ask<{ readonly StreamDescription: { readonly Shards: readonly Shard[] } }>(
        client,
        'DescribeStream',
        { StreamArn },
      );
      const taken: DynamoDBRecord[] = [];
      for (const shard of StreamDescription.Shards) {
        for (let place: string | undefined = await placeOf(shard); place !== undefined; ) {
          const { Records, NextShardIterator }: RecordsAnswer = await ask(client, 'GetRecords', {
            ShardIterator: place,
          });
          taken.push(...Records);
          if (NextShardIterator !== undefined) places.set(shard.ShardId, NextShardIterator);
          place = Records.length === 0 ? undefined : NextShardIterator;
        }
      }
      return taken;
    },
  };
}

interface RecordsAnswer {
  readonly Records: readonly DynamoDBRecord[];
  readonly NextShardIterator?: string;
}

/** One call with the client's credentials, region and endpoint. */
async function ask<Answer>(client: DynamoDBClient, operation: string, input: object): Promise<Answer> {
  const { accessKeyId, secretAccessKey, sessionToken } = await client.config.credentials();
  const region = await client.config.region();
  // An emulator serves tables and streams at one address.
  const { AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_DYNAMODB = AWS_ENDPOINT_URL } = process.env;
  const endpoint = AWS_ENDPOINT_URL_DYNAMODB ?? `https://streams.dynamodb.${region}.amazonaws.com`;
  const body = JSON.stringify(input);
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const headers: Record<string, string> = {
    'content-type': 'application/x-amz-json-1.0',
    host: new URL(endpoint).host,
    'x-amz-date': time,
    ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
    'x-amz-target': `DynamoDBStreams_20120810.${operation}`,
  };
  // Signature Version 4, which requires the header names above in alphabetical order.
  const names = Object.keys(headers).join(';');
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const request = ['POST', '/', '', lines.join(''), names, sha256(body)].join('\n');
  const scope = [time.slice(0, 8), region, 'dynamodb', 'aws4_request'];
  const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(request)].join('\n');
  const key = scope.reduce<Buffer | string>((from, part) => hmac(from, part), `AWS4${secretAccessKey}`);
  const proof = `SignedHeaders=${names}, Signature=${hmac(key, text).toString('hex')}`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope.join('/')}, ${proof}`;
  const response = await fetch(endpoint, { method: 'POST', body, headers: { ...headers, authorization } });
  if (!response.ok) throw new Error(`${operation} failed with ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest();
