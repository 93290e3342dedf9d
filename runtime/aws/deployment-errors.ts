/** What a deployment is refused for besides its config, in the operator's words. Finds nothing out itself, and throws nothing. */

import { UsageError } from '../../core/model/errors.ts';
import { storesParameter } from './deployed-stores.ts';

export interface DuplicateTidings {
  /** Where it was made, and where the one that was there before. */
  readonly path: string;
  readonly other: string;
  /** The name of the stack that both are in. */
  readonly stack: string;
}

export function duplicateTidingsError({ path, other, stack }: DuplicateTidings): UsageError {
  return new UsageError(
    'TIDINGS_STACK_TAKEN',
    `'${path}': expected one Tidings in stack '${stack}', got a second beside '${other}': both would write the parameter ${storesParameter(stack)}; give each a stack of its own`,
  );
}

export function unknownOptionError(name: string, meant: string): UsageError {
  return new UsageError('TIDINGS_OPTION_UNKNOWN', `-c ${name}: there is no such option, did you mean '${meant}'?`);
}

export function snapshotPolicyError(): UsageError {
  return new UsageError(
    'TIDINGS_REMOVAL_POLICY_UNKNOWN',
    'removalPolicy: expected RETAIN, RETAIN_ON_UPDATE_OR_DELETE or DESTROY, got SNAPSHOT, which tables do not have',
  );
}

/** The text is not shown: it may be the secret itself. */
export function invalidReferenceError(): UsageError {
  return new UsageError(
    'TIDINGS_SECRET_NOT_A_REFERENCE',
    "moreSecrets: expected 'ssm:' or 'secret:' and a name, which may be known to the deployment only",
  );
}
