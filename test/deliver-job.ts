/** Makes the attempt of a job that a test has received. */

import { type DeliverJobOptions, type DeliverPorts, type DeliveryResult, deliver } from '../core/delivery/deliver.ts';
import type { Job } from '../core/ports/queue.ts';

/** The result of the attempt; undefined if none was recorded. Fails for a job that is no attempt. */
export async function deliverJob(
  ports: DeliverPorts,
  job: Job,
  options?: DeliverJobOptions,
): Promise<DeliveryResult | undefined> {
  if (job.kind !== 'attempt') throw new Error(`expected an attempt, got task ${job.task}`);
  const outcome = await deliver(ports, job, options);
  return outcome.kind === 'attempted' ? outcome.result : undefined;
}
