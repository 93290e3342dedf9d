/** Errors of a deployment that are not about its config. */

import { UsageError } from '../../core/model/errors.ts';
import { storesParameter } from './deployed-stores.ts';

export interface DuplicateTidings {
  /** Construct path of the second Tidings. */
  readonly path: string;
  /** Construct path of the first. */
  readonly other: string;
  /** Name of the stack that contains both. */
  readonly stack: string;
}

export function duplicateTidingsError({ path, other, stack }: DuplicateTidings): UsageError {
  return new UsageError(
    'TIDINGS_STACK_TAKEN',
    `'${path}': stack '${stack}' already contains a Tidings at '${other}': both would write the parameter ${storesParameter(stack)}; use one stack for each`,
  );
}

export function unknownOptionError(name: string, suggestion: string): UsageError {
  return new UsageError('TIDINGS_OPTION_UNKNOWN', `-c ${name}: unknown option; did you mean '${suggestion}'?`);
}

export function snapshotPolicyError(): UsageError {
  return new UsageError(
    'TIDINGS_REMOVAL_POLICY_UNKNOWN',
    'removalPolicy: expected RETAIN, RETAIN_ON_UPDATE_OR_DELETE or DESTROY, got SNAPSHOT, which tables do not support',
  );
}

/** Shown as a validation error of the synthesis. */
export function tooManyPoliciesMessage(name: string, policies: number, max: number): string {
  return `the role of ${name} needs ${policies} managed policies for the secrets of the config, and IAM allows ${max}: keep several of them in one secret, as secret:NAME#KEY`;
}

/** The value is not shown: it may be the secret itself. */
export function invalidReferenceError(): UsageError {
  return new UsageError(
    'TIDINGS_SECRET_NOT_A_REFERENCE',
    "moreSecrets: expected 'ssm:' or 'secret:' and a name, which may be a CDK token",
  );
}
