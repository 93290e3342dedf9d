/** A function as CDK bundles it, in a process with the CPU share of its memory. */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFunction } from '../lib/bundle.ts';
import type { FunctionName } from '../runtime/aws/metrics.ts';
import type { InvokedMessage, InvokeMessage } from './lambda-process.ts';
import { limitCpu } from './limit-cpu.ts';

export interface SandboxOptions {
  readonly name: FunctionName;
  /** The packed config. */
  readonly config: string;
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
  readonly environment: Readonly<Record<string, string>>;
}

export interface Sandbox {
  /** Milliseconds from the start of the process until the function is loaded. */
  readonly initMs: number;
  invoke(event: unknown): Promise<InvokedMessage & { readonly ms: number }>;
  stop(): Promise<void>;
}

/** At this memory a function has one vCPU. */
const MB_PER_CPU = 1769;

export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { name, config, memoryMb, timeoutSeconds, environment } = options;
  const folder = await mkdtemp(join(tmpdir(), 'tidings-lambda-'));
  const { entry } = bundleFunction({ name, folder, config });
  const startedAt = performance.now();
  const child = fork(join(import.meta.dirname, 'lambda-process.ts'), [entry], {
    env: { PATH: process.env.PATH, ...environment },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  if (child.pid === undefined) throw new Error('the process did not start');
  const limit = limitCpu(child.pid, memoryMb / MB_PER_CPU);
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
    await limit.stop();
    await rm(folder, { recursive: true, force: true });
  };
  const nextMessage = async (): Promise<InvokedMessage> => {
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`the process of ${name} ended with ${code}`);
    });
    const [message] = await Promise.race([once(child, 'message'), ended]);
    return message as InvokedMessage;
  };
  await nextMessage().catch(async (error) => {
    await stop();
    throw error;
  });
  const initMs = performance.now() - startedAt;
  return {
    initMs,
    stop,
    async invoke(event) {
      const time = timeoutSeconds * 1000;
      const message: InvokeMessage = { event, time };
      child.send(message);
      let timer: NodeJS.Timeout | undefined;
      const timedOut = new Promise<InvokedMessage>((resolve) => {
        timer = setTimeout(resolve, time, { ms: time, error: `Task timed out after ${timeoutSeconds} seconds` });
      });
      const outcome = await Promise.race([nextMessage(), timedOut]);
      clearTimeout(timer);
      return { ms: time, ...outcome };
    },
  };
}
