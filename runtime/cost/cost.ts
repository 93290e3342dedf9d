/**
 * What Tidings costs in AWS in a month: the workload of a config, times what each piece of work takes, times prices.
 * Pure; docs/cost.md tells the formulas. An estimate: what was measured and what is assumed is told apart in measured.ts.
 */

import { DAY } from '../../core/model/time.ts';
import type { Config } from '../config/config.ts';
import type { CostConfig } from './config.ts';
import {
  ASSUMED,
  DEPLOYED,
  FINGERPRINTS_A_READ,
  MEASURED_BYTES,
  MEASURED_UNITS,
  RECORDS_A_PART,
  RECORDS_A_READ,
  TICK_UNITS,
  type Units,
} from './measured.ts';
import { dollarsFor, type PriceName } from './prices.ts';
import { type Account, HOURS_A_MONTH, type PlannedScans, type Workload, workloadOf } from './workload.ts';

export interface CostLine {
  readonly component: string;
  readonly price: PriceName;
  /** Of the price's unit, in a month. */
  readonly quantity: number;
  readonly dollars: number;
}

/** What another design would pay for the same looks. */
export interface NaiveCost {
  readonly design: string;
  readonly dollars: number;
}

export interface Estimate {
  readonly scans: readonly PlannedScans[];
  readonly lines: readonly CostLine[];
  readonly total: number;
  /** Of the total, what is paid though nothing changes. */
  readonly standing: number;
  /** What looking costs in DynamoDB: to be held against `naive`. */
  readonly looking: number;
  readonly naive: readonly NaiveCost[];
}

const GB = 1_000_000_000;

export function estimate({ config, references }: CostConfig, account: Account): Estimate {
  const workload = workloadOf(config, account);
  const quiet = workloadOf(config, { ...account, changesADay: 0 });
  const secrets = secretLines(references);
  const lines = [...linesOf(config, workload), ...secrets];
  const { read, write } = pollingUnits(workload);
  return {
    scans: workload.scans,
    lines,
    total: totalOf(lines),
    standing: totalOf([...linesOf(config, quiet), ...secrets]),
    looking: dollarsFor('read', read) + dollarsFor('write', write),
    naive: naiveCosts(workload),
  };
}

export function totalOf(lines: readonly CostLine[]): number {
  return lines.reduce((sum, { dollars }) => sum + dollars, 0);
}

function linesOf(config: Config, workload: Workload): readonly CostLine[] {
  return [
    ...tableLines(config, workload),
    ...functionLines(workload),
    ...messageLines(workload),
    ...watchLines(config, workload),
  ];
}

const line = (component: string, price: PriceName, quantity: number): CostLine => ({
  component,
  price,
  quantity,
  dollars: dollarsFor(price, quantity),
});

const times = ({ read, write }: Units, by: number): Units => ({ read: read * by, write: write * by });

const sum = (...parts: readonly Units[]): Units => ({
  read: parts.reduce((all, { read }) => all + read, 0),
  write: parts.reduce((all, { write }) => all + write, 0),
});

/** What looking takes, whether or not anything is found. */
export function pollingUnits({ scans, minutes, deltas, sweeps, sweptRecords }: Workload): Units {
  const { idlePoll, scan, sweep } = MEASURED_UNITS;
  return sum(
    times(idlePoll, minutes * scans.length),
    times(TICK_UNITS, minutes),
    times(scan, deltas),
    times(sweep, sweeps),
    { read: sweptRecords / RECORDS_A_READ, write: 0 },
  );
}

/** What changes take, from the scan that finds them to the settled delivery, and at the next sweep. */
export function changeUnits(workload: Workload): Units {
  const { changes, rereads, sweeps, sweptRecords, announceBatches, deliveries, deliverBatches, turns } = workload;
  const { found, again, swept, part, announceBatch, event, opened, deliverBatch, delivered, turn } = MEASURED_UNITS;
  // A sweep that finds nothing else than it knew reads no fingerprints.
  const touched = sweeps === 0 ? 0 : Math.min(1, changes / sweeps);
  return sum(
    times(found, changes),
    times(again, rereads),
    times(swept, changes),
    times(part, Math.min(changes, sweptRecords / RECORDS_A_PART)),
    { read: (touched * sweptRecords) / FINGERPRINTS_A_READ, write: 0 },
    times(announceBatch, announceBatches),
    times(event, changes),
    times(opened, deliveries),
    times(deliverBatch, deliverBatches),
    times(delivered, deliveries),
    times(turn, turns),
  );
}

function tableLines({ retention }: Config, workload: Workload): readonly CostLine[] {
  const { read, write } = sum(pollingUnits(workload), changeUnits(workload));
  const { record, event, delivery } = MEASURED_BYTES;
  const { records, changes, deliveries } = workload;
  const months = retention / DAY / (HOURS_A_MONTH / 24);
  const gigabytes = (records * record + months * (changes * event + deliveries * delivery)) / GB;
  return [
    line('DynamoDB writes', 'write', write),
    line('DynamoDB reads', 'read', read),
    line('DynamoDB storage', 'storage', gigabytes),
    line('DynamoDB recovery', 'recovery', gigabytes),
    line('DynamoDB stream', 'stream', changes),
  ];
}

function functionLines(workload: Workload): readonly CostLine[] {
  const { minutes, requests, changes, deliveries, announceBatches, deliverBatches } = workload;
  const { idle, request, record, announceBatch, deliverBatch } = ASSUMED.seconds;
  const seconds = {
    poll: minutes * idle + requests * request + changes * record,
    tick: minutes * idle,
    announce: announceBatches * announceBatch + (changes + deliveries) * record,
    deliver: deliverBatches * deliverBatch + deliveries * record,
  };
  const names = ['poll', 'tick', 'announce', 'deliver'] as const;
  return [
    ...names.map((name) => line(`Lambda ${name}`, 'lambdaTime', seconds[name] * DEPLOYED.memoryGb[name])),
    line('Lambda calls', 'lambdaRequest', callsOf(workload)),
  ];
}

function callsOf({ minutes, announceBatches, deliverBatches }: Workload): number {
  return DEPLOYED.schedules * minutes + announceBatches + deliverBatches;
}

function messageLines({ minutes, deliverBatches, mails }: Workload): readonly CostLine[] {
  // A batch is sent, received and deleted, each in one request.
  const requests = minutes * ASSUMED.emptyReceives + 3 * deliverBatches;
  return [
    line('SQS', 'queue', requests),
    line('EventBridge Scheduler', 'schedule', DEPLOYED.schedules * minutes),
    line('SES', 'mail', mails),
  ];
}

function watchLines({ mail }: Config, workload: Workload): readonly CostLine[] {
  const { call, scan, change, delivery } = ASSUMED.logBytes;
  const { deltas, sweeps, changes, deliveries } = workload;
  const bytes = callsOf(workload) * call + (deltas + sweeps) * scan + changes * change + deliveries * delivery;
  return [
    line('CloudWatch logs', 'logs', bytes / GB),
    // They are kept for a month: what is there at any time is what a month brings.
    line('CloudWatch logs kept', 'logsKept', bytes / GB),
    line('CloudWatch metrics', 'metric', DEPLOYED.metrics),
    line('CloudWatch alarms', 'alarm', DEPLOYED.alarmMetrics + (mail === undefined ? 0 : DEPLOYED.mailAlarmMetrics)),
    line('CloudWatch dashboard', 'dashboard', DEPLOYED.dashboards),
    line('KMS key of the alarms', 'key', DEPLOYED.keys),
  ];
}

function secretLines(references: readonly string[]): readonly CostLine[] {
  // A secret with several keys is one secret.
  const named = (store: string) =>
    new Set(references.filter((one) => one.startsWith(`${store}:`)).map((one) => one.split('#')[0])).size;
  const secrets = named('secret');
  return [
    line('SSM parameters', 'parameter', named('ssm')),
    line('Secrets Manager', 'secret', secrets),
    line('Secrets Manager reads', 'secretRequest', secrets * ASSUMED.secretReads),
  ];
}

/** A record in a look of a naive design: a put of 1 to 2 KB. */
const BLIND_PUT = 2;

/** What the same looks cost whoever holds each record against the table, or does not look at all before he writes. */
export function naiveCosts({ scans }: Pick<Workload, 'scans'>): readonly NaiveCost[] {
  const looked = scans.reduce((all, { looks, records }) => all + looks * records, 0) * (HOURS_A_MONTH / 24);
  return [
    { design: 'reading each snapshot at each look, eventually consistent', dollars: dollarsFor('read', looked / 2) },
    { design: 'reading each snapshot at each look, consistent', dollars: dollarsFor('read', looked) },
    { design: 'putting each record at each look, blindly', dollars: dollarsFor('write', looked * BLIND_PUT) },
    { design: 'one NAT gateway, for functions in a VPC', dollars: dollarsFor('gatewayHour', HOURS_A_MONTH) },
  ];
}
