/** Converts records of the snapshots' stream to transitions. */

import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Transition } from '../../core/model/snapshot.ts';
import { fromItem } from './attribute-values.ts';
import { snapshotFromItem } from './snapshot-item.ts';
import { COPIED_MARK } from './tables.ts';

/** The parts we read of a record in a Lambda stream event. */
export interface StreamRecord {
  readonly dynamodb?:
    | {
        readonly NewImage?: Readonly<Record<string, object>> | undefined;
        readonly OldImage?: Readonly<Record<string, object>> | undefined;
      }
    | undefined;
}

/**
 * Undefined for records that are not commits: a deleted item, one that was copied from another database, or one edited by
 * hand without a new version. Lambda may deliver a commit twice; both records give the same transition.
 */
export function transitionFromRecord({ dynamodb }: StreamRecord): Transition | undefined {
  const { NewImage, OldImage } = dynamodb ?? {};
  if (NewImage === undefined || COPIED_MARK in NewImage) return undefined;
  const after = snapshotFromItem(imageOf(NewImage));
  const before = OldImage === undefined ? null : snapshotFromItem(imageOf(OldImage));
  return before?.version === after.version ? undefined : { before, after };
}

/** The types of Lambda events and of the SDK describe the same attributes. */
function imageOf(image: Readonly<Record<string, object>>): Record<string, unknown> {
  return fromItem(image as Record<string, AttributeValue>);
}
