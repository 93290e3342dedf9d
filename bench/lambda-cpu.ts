/**
 * `lambda-cpu`: the functions as deployed, at the CPU share of their memory, with their heaviest work. Tables and queue are
 * emulated with a latency of 8 ms. `LAMBDA_MEMORY_MB=1024` gives all functions another memory.
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseTree } from '../runtime/config/load.ts';
import { packConfig } from '../runtime/config/packed.ts';
import { startAccount } from './account.ts';
import type { Benchmark, Figure } from './bench.ts';
import { type LambdaCase, lambdaCases, TASKS_PER_SOURCE } from './lambda-cases.ts';
import { type Sandbox, startSandbox } from './lambda-sandbox.ts';
import { measureShare } from './limit-cpu.ts';
import { startSlowAws } from './slow-aws.ts';

/** How long a receiver takes to answer. */
const RECEIVER_MS = 50;

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

const NETWORK = { network: { allowHttp: true, allow: ['127.0.0.0/8'] } };

export const lambdaCpu: Benchmark = async () => {
  const account = await startAccount(TASKS_PER_SOURCE);
  const receiver = await startReceiver();
  // The other figures say nothing if the limit does not hold.
  const figures: Figure[] = [await limitFigure()];
  try {
    for (const one of lambdaCases(account.url, receiver.url)) figures.push(await measure(one, account.token));
    return figures;
  } finally {
    await account.stop();
    await receiver.stop();
  }
};

async function limitFigure(): Promise<Figure> {
  const share = 0.25;
  const measured = await measureShare(share);
  return {
    name: 'lambda-cpu limit: share of a CPU that a busy process gets',
    ours: `${measured.share.toFixed(2)} by ${measured.by}`,
    floor: String(share),
    ratio: measured.share / share,
    aim: 1.3,
  };
}

async function measure(one: LambdaCase, token: string): Promise<Figure> {
  const { name, label, units, size, rounds = 1, limit = 0.5, patience } = one;
  const aws = await startSlowAws({ '/tidings/token': token, tidings: JSON.stringify({ ops: SECRET }) });
  let sandbox: Sandbox | undefined;
  try {
    const nextEvent = await one.prepare(aws);
    const config = packConfig(parseTree('tidings.yaml', { ...NETWORK, ...one.config }, {}, 'aws'));
    sandbox = await startSandbox({ name, config, ...size, environment: aws.environment });
    aws.takeMaxInFlight();
    let outcome = await sandbox.invoke(nextEvent(0));
    for (let round = 1; round < rounds && outcome.error === undefined; round++) {
      outcome = await sandbox.invoke(nextEvent(round));
    }
    const problem = outcome.error ?? (await one.check(aws)(outcome.result));
    const took = outcome.ms + (patience === undefined ? 0 : sandbox.initMs);
    const bound = patience ?? size.timeoutSeconds * 1000;
    const billed = Math.ceil(took);
    const gbSeconds = ((billed / 1000) * size.memoryMb) / 1024;
    return {
      name: `lambda-cpu ${name} at ${size.memoryMb} MB: ${label}`,
      ours: [
        `${(took / 1000).toFixed(2)} s`,
        `billed ${billed.toLocaleString('en')} ms`,
        ...(units === undefined ? [] : [`${(billed / units.count).toFixed(1)} ms for each ${units.name}`]),
        `${gbSeconds.toFixed(2)} GB-s`,
        `start ${Math.round(sandbox.initMs)} ms`,
        `${aws.takeMaxInFlight()} in flight`,
        problem === null ? 'ok' : `failed: ${problem}`,
      ].join(', '),
      floor: `${bound / 1000} s`,
      ratio: problem === null ? took / bound : Number.POSITIVE_INFINITY,
      aim: limit,
    };
  } finally {
    await sandbox?.stop();
    await aws.stop();
  }
}

async function startReceiver() {
  const server = createServer((request, response) => {
    request.resume().once('end', () => setTimeout(() => response.writeHead(204).end(), RECEIVER_MS));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    async stop() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
