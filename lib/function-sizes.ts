/** Memory and timeout of each function. Plain data: the stack deploys it, and the benchmark `lambda-cpu` measures with it. */

import type { FunctionName } from '../runtime/aws/metrics.ts';

export interface FunctionSize {
  /** CPU is proportional: 1,769 MB are one vCPU. */
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
}

export const FUNCTION_SIZES: Readonly<Record<FunctionName, FunctionSize>> = {
  // Pages of up to 4 MB are parsed and hashed: about half a vCPU, and memory for two pages at once. A long sweep continues in
  // the next run: the timeout only ends a stuck one.
  poll: { memoryMb: 1024, timeoutSeconds: 300 },
  // It runs 43,200 times a month and mostly finds nothing: the smallest size with a good cold start. A batch of 500 takes
  // seconds, and batches are started until 20 s are left. The next run does the rest.
  tick: { memoryMb: 512, timeoutSeconds: 120 },
  // A batch of 100 changes is matched against every subscription.
  announce: { memoryMb: 1024, timeoutSeconds: 60 },
  // It mostly waits for receivers: enough memory for ten messages with their records, little CPU. An attempt takes at most
  // 15 s; the rest is for a batch whose receiver allows one message per second.
  deliver: { memoryMb: 512, timeoutSeconds: 60 },
  manage: { memoryMb: 512, timeoutSeconds: 15 },
  // It runs once per deployment. Renaming a subscription with 10,000 pending deliveries takes 43 s with 512 MB, and a rename that
  // times out would fail the deployment.
  setup: { memoryMb: 1024, timeoutSeconds: 300 },
};

/** The management API validates requests with the schema of the config. Slack waits three seconds, a cold start included. */
const MANAGED_MEMORY_MB = 1024;

/** API Gateway waits at most 30 s, and a person is waiting. */
const MANAGED_TIMEOUT_SECONDS = 29;

/** The size of `manage`, which does more if the config turns the API or the console on, or has the Slack app. */
export function manageSize({ isManaged, hasSlack }: Readonly<Record<'isManaged' | 'hasSlack', boolean>>): FunctionSize {
  const { memoryMb, timeoutSeconds } = FUNCTION_SIZES.manage;
  return {
    memoryMb: isManaged || hasSlack ? MANAGED_MEMORY_MB : memoryMb,
    timeoutSeconds: isManaged ? MANAGED_TIMEOUT_SECONDS : timeoutSeconds,
  };
}
