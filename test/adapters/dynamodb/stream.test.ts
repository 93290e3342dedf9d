import type { DynamoDBRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { toItem } from '../../../adapters/dynamodb/attribute-values.ts';
import { snapshotItem } from '../../../adapters/dynamodb/snapshot-item.ts';
import { transitionFromRecord } from '../../../adapters/dynamodb/stream.ts';
import type { Snapshot } from '../../../core/model/snapshot.ts';
import { NOON, snapshot } from '../../samples.ts';

/** The JSON that Lambda passes. */
function record(eventName: DynamoDBRecord['eventName'], before?: Snapshot, after?: Snapshot): DynamoDBRecord {
  const image = (one: Snapshot | undefined) => (one === undefined ? undefined : toItem(snapshotItem(one)));
  const dynamodb = { OldImage: image(before), NewImage: image(after), StreamViewType: 'NEW_AND_OLD_IMAGES' };
  return JSON.parse(JSON.stringify({ eventID: '1', eventName, eventSource: 'aws:dynamodb', dynamodb }));
}

const first = snapshot('812', {
  record: { id: '812', title: 'Poster', people: ['4'], nested: { '': 1, list: [] }, share: 0.1, none: null },
  nextMoment: NOON,
});
const second: Snapshot = {
  ...first,
  version: 2,
  deletedAt: NOON,
  nextMoment: null,
  cause: 'tick',
  by: { id: '4', name: null },
};

describe('a record of the stream', () => {
  it('is the transition of its commit', () => {
    expect(transitionFromRecord(record('INSERT', undefined, first))).toEqual({ before: null, after: first });
    expect(transitionFromRecord(record('MODIFY', first, second))).toEqual({ before: first, after: second });
  });

  it('is not a transition when the item was deleted, or changed without a new version', () => {
    expect(transitionFromRecord(record('REMOVE', first))).toBeUndefined();
    expect(transitionFromRecord(record('MODIFY', first, { ...first, nextMoment: null }))).toBeUndefined();
    expect(transitionFromRecord({})).toBeUndefined();
  });
});
