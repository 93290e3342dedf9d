/** Reads the snapshots' stream: a record of it is a transition, if it is a commit at all. */

import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Transition } from '../../core/model/snapshot.ts';
import { fromItem } from './attribute-values.ts';
import { snapshotFromItem } from './snapshot-item.ts';

/** As much of a record of a Lambda's stream event as we read: texts in place of numbers, as everywhere in DynamoDB. */
export interface StreamRecord {
  readonly dynamodb?:
    | {
        readonly NewImage?: Readonly<Record<string, object>> | undefined;
        readonly OldImage?: Readonly<Record<string, object>> | undefined;
      }
    | undefined;
}

/**
 * Undefined for what is no commit: an item that was removed, or touched by hand without a new version. Of two records
 * for one commit, which Lambda may hand over, both give the same transition.
 */
export function transitionFromRecord({ dynamodb }: StreamRecord): Transition | undefined {
  const { NewImage, OldImage } = dynamodb ?? {};
  if (NewImage === undefined) return undefined;
  const after = snapshotFromItem(imageOf(NewImage));
  const before = OldImage === undefined ? null : snapshotFromItem(imageOf(OldImage));
  return before?.version === after.version ? undefined : { before, after };
}

/** The event's own types know every kind of attribute at once; ours are among them. */
function imageOf(image: Readonly<Record<string, object>>): Record<string, unknown> {
  return fromItem(image as Record<string, AttributeValue>);
}
