/**
 * The functions of version 1.0.0 as they were released, invoked as those of a world. `fixtures/functions-1.0.0.mjs.gz` is a bundle
 * of their `create…` functions by esbuild: ESM, minified, with its npm packages external.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { DynamoDBRecord, SQSRecord } from 'aws-lambda';
import type { AwsContextOptions } from '../../runtime/aws/context.ts';
import { CONFIG } from '../../runtime/aws/environment.ts';
import { type CallOptions, contextOf } from './lambda-call.ts';
import type { World } from './world.ts';

type Handler<E, R> = (event: E, context: ReturnType<typeof contextOf>) => Promise<R>;
type Batch = { readonly batchItemFailures: readonly { readonly itemIdentifier: string }[] };

interface ReleasedModule {
  createSetup(options: AwsContextOptions): Handler<object, void>;
  createPoll(options: AwsContextOptions): Handler<object, void>;
  createTick(options: AwsContextOptions): Handler<object, void>;
  createAnnounce(options: AwsContextOptions): Handler<{ readonly Records: DynamoDBRecord[] }, Batch>;
  createDeliver(options: AwsContextOptions): Handler<{ readonly Records: SQSRecord[] }, Batch>;
}

/** The functions that the two versions of a deployment have in common. */
export type PipelineFunctions = Pick<World['functions'], 'setup' | 'poll' | 'tick' | 'announce' | 'deliver'>;

const FIXTURE = join(import.meta.dirname, 'fixtures/functions-1.0.0.mjs.gz');

/** Where an import finds the npm packages. */
const FOLDER = join(import.meta.dirname, '../../node_modules/.cache/tidings');

async function loadReleased(): Promise<ReleasedModule> {
  const file = join(FOLDER, `functions-1.0.0-${process.pid}.mjs`);
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(file, gunzipSync(readFileSync(FIXTURE)));
  return await import(file);
}

/** @param config the config as the stack packs it */
export async function openReleased(options: AwsContextOptions, config: string): Promise<PipelineFunctions> {
  const released = await loadReleased();
  const environment = { ...options.environment, [CONFIG]: config };
  const all: AwsContextOptions = { ...options, environment };
  const [setup, poll, tick] = [released.createSetup(all), released.createPoll(all), released.createTick(all)];
  const [announce, deliver] = [released.createAnnounce(all), released.createDeliver(all)];
  return {
    setup: async () => setup({}, contextOf()),
    poll: async (call?: CallOptions) => poll({}, contextOf(call)),
    tick: async (call?: CallOptions) => tick({}, contextOf(call)),
    announce: async (Records, call) => batchOf(await announce({ Records: [...Records] }, contextOf(call))),
    deliver: async (Records, call) => batchOf(await deliver({ Records: [...Records] }, contextOf(call))),
  };
}

const batchOf = ({ batchItemFailures }: Batch) => ({ batchItemFailures: [...batchItemFailures] });
