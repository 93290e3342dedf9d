/** Runs checkov over templates. Every finding is fixed, or acknowledged here with its reason, for the resources that it is about. */

import { spawnSync } from 'node:child_process';
import { TOOLS } from './tools.ts';

export interface Finding {
  readonly check: string;
  readonly title: string;
  /** `AWS::SQS::Queue.DataDeadLettersE8DA58CB` */
  readonly resource: string;
}

interface Acknowledged {
  readonly check: string;
  /** The resources for which the reason holds. */
  readonly resources: RegExp;
  readonly reason: string;
}

/** Functions that the CDK adds for a custom resource. */
const OF_CDK = /CustomResourceProviderHandler/;

const ACKNOWLEDGED: readonly Acknowledged[] = [
  {
    check: 'CKV_AWS_18',
    resources: /^AWS::S3::Bucket\.DataUnannounced/,
    reason:
      'only Lambda writes to it, records that could not be announced; a log of that would be a second bucket to watch',
  },
  {
    check: 'CKV_AWS_21',
    resources: /^AWS::S3::Bucket\.DataUnannounced/,
    reason: 'Lambda writes every object once, under a name of its own, and nobody overwrites it',
  },
  {
    check: 'CKV_AWS_27',
    resources: /^AWS::SQS::Queue\./,
    reason: 'they are encrypted by SQS itself, which this check does not know; with encryptionKeyArn by that key',
  },
  {
    check: 'CKV_AWS_111',
    resources: /^AWS::IAM::Policy\.Tidings(Poller|Deliverer)FunctionRole/,
    reason: 'with vpc Lambda creates network interfaces with the role, and IAM does not limit that to a resource',
  },
  {
    check: 'CKV_AWS_115',
    resources: /^AWS::Lambda::Function\./,
    reason: 'a new account has too few concurrent executions to reserve any: reservedConcurrency is an option',
  },
  {
    check: 'CKV_AWS_116',
    resources: /^AWS::Lambda::Function\.Tidings(Poller|Ticker)Function/,
    reason: 'the schedule that invokes it has a dead-letter queue',
  },
  {
    check: 'CKV_AWS_116',
    resources: /^AWS::Lambda::Function\.Tidings(Setup|Announcer|Manage|Deliverer)Function/,
    reason: 'it is invoked synchronously or by an event source, which do not use a dead-letter queue of the function',
  },
  { check: 'CKV_AWS_116', resources: OF_CDK, reason: 'CloudFormation invokes it and reports its failure' },
  {
    check: 'CKV_AWS_117',
    resources: /^AWS::Lambda::Function\./,
    reason: 'a VPC costs a NAT gateway; vpc is an option for the two functions that connect to systems of others',
  },
  {
    check: 'CKV_AWS_158',
    resources: /^AWS::Logs::LogGroup\./,
    reason: 'CloudWatch encrypts them; with encryptionKeyArn by that key',
  },
  {
    check: 'CKV_AWS_173',
    resources: /^AWS::Lambda::Function\.Tidings/,
    reason: 'the variables are names of resources; Lambda encrypts them, and secrets are references',
  },
];

const isAbout = ({ check, resources }: Acknowledged, finding: Finding) =>
  check === finding.check && resources.test(finding.resource);

/** The findings that nobody acknowledged. */
export function findUnacknowledged(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter((one) => !ACKNOWLEDGED.some((known) => isAbout(known, one)));
}

/** What was acknowledged and is found no more: remove it. */
export function findOutdated(findings: readonly Finding[]): readonly Acknowledged[] {
  return ACKNOWLEDGED.filter((known) => !findings.some((one) => isAbout(known, one)));
}

interface Report {
  readonly summary: { readonly passed: number; readonly parsing_errors: number };
  readonly results: {
    readonly failed_checks: readonly {
      readonly check_id: string;
      readonly check_name: string;
      readonly resource: string;
    }[];
  };
}

/** Without network: the checks are part of the package. Throws if a template was not checked. */
export function runCheckov(files: readonly string[]): readonly Finding[] {
  const argv = ['--framework', 'cloudformation', '--skip-download', '--quiet', '--compact', '--output', 'json'];
  const options = { encoding: 'utf8', timeout: 120_000, maxBuffer: 100_000_000 } as const;
  const { stdout, stderr } = spawnSync(TOOLS.checkov, [...argv, '--file', ...files], options);
  const { summary, results }: Report = JSON.parse(stdout || '{}');
  if (summary === undefined || summary.passed === 0 || summary.parsing_errors > 0)
    throw new Error(`checkov checked nothing: ${stderr.slice(-2000)}`);
  return results.failed_checks.map(({ check_id: check, check_name: title, resource }) => ({ check, title, resource }));
}
