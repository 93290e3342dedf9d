/**
 * Changes a record by a button once, also if several people press at the same moment: a press claims the change before it writes. The claim of one who
 * failed, or whose process died, ends by itself, so that the button works again.
 */

import { createHash } from 'node:crypto';
import type { WriteFields } from '../../adapters/sources/definition.ts';
import { RetryLater } from '../../core/model/errors.ts';
import { isSameValue } from '../../core/model/json.ts';
import { DAY, type Instant, MINUTE, plus, SECOND } from '../../core/model/time.ts';
import type { DocumentBody } from '../../core/ports/document-store.ts';
import type { SlackPorts } from './slack-ports.ts';
import type { RunningTask } from './slack-task.ts';

export interface PlannedChange {
  /** What to write. Undefined: it is so already. */
  readonly fields: WriteFields | undefined;
  /** `closed this task` */
  readonly done: string;
}

export interface ChangeClaim {
  /** The kind of change and its record: one press at a time makes it. */
  readonly what: string;
  /** What it is changed to. */
  readonly value: string;
}

interface ClaimedChange extends DocumentBody {
  readonly by: string;
  readonly task: string;
  readonly channel: string;
  readonly value: string;
  /** When others may claim it. @default - the change was made */
  readonly until?: Instant;
}

const CHANGE = 'slack-change';
const KEPT_FOR = 90 * DAY;

/** A write may take 100 s until it times out. A run of the same task goes on with its own claim. */
const CLAIMED_FOR = 2 * MINUTE;
const LOOK_AGAIN_AFTER = 2 * SECOND;

/** A key in DynamoDB has at most 2,048 bytes. */
const idOf = ({ what }: ChangeClaim) => createHash('sha256').update(what).digest('hex');

type ChangePorts = Pick<SlackPorts, 'documents' | 'clock'>;

interface ChangeSteps {
  readonly plan: () => Promise<PlannedChange>;
  readonly write: (fields: WriteFields) => Promise<void>;
}

/**
 * What this press did; empty if the record was like that already. Throws RetryLater while another press makes the change: afterwards it is
 * known whether it succeeded.
 */
export async function changeOnce(
  ports: ChangePorts,
  running: RunningTask,
  claim: ChangeClaim,
  { plan, write }: ChangeSteps,
): Promise<string> {
  // Before the record is read: what is written in between is noticed by the claim of its press.
  const seen = await readClaim(ports, claim);
  const isOwn = seen?.task === running.task.id;
  const { fields, done } = await plan();
  // An earlier run of this press was interrupted after its write.
  const isWritten = isOwn && (seen.until === undefined || fields === undefined);
  if (!isWritten) {
    if (fields === undefined) return '';
    await claimChange(ports, running, claim, seen);
    try {
      await write(fields);
    } catch (error) {
      await updateOwn(ports, running, claim, (own) => ({ ...own, until: ports.clock.now() }));
      throw error;
    }
  }
  const isCounted = await updateOwn(ports, running, claim, ({ until: _, ...own }) => own);
  return isCounted ? done : '';
}

/** The person whose press made this change last, if it was in this channel: who it was elsewhere is for the people there. */
export async function findChanger(
  ports: ChangePorts,
  { task: { place } }: RunningTask,
  claim: ChangeClaim,
): Promise<string | undefined> {
  const last = await readClaim(ports, claim);
  if (last === undefined || last.until !== undefined) return undefined;
  return last.value === claim.value && last.channel === place.channel ? last.by : undefined;
}

// Only this file writes these documents.
const readClaim = async ({ documents }: ChangePorts, claim: ChangeClaim) =>
  (await documents.get(CHANGE, idOf(claim))) as ClaimedChange | undefined;

/** @param seen what was stored before the record was read: nobody else has claimed the change since */
async function claimChange(
  { documents, clock }: ChangePorts,
  { task: { id, place } }: RunningTask,
  claim: ChangeClaim,
  seen: ClaimedChange | undefined,
): Promise<void> {
  const now = clock.now();
  const { user: by, channel } = place;
  const own: ClaimedChange = { by, task: id, channel, value: claim.value, until: plus(now, CLAIMED_FOR) };
  const isClaimed = seen?.until !== undefined && seen.until > now && seen.task !== id;
  if (isClaimed) throw busy();
  const expiresAt = plus(now, KEPT_FOR);
  if (seen === undefined) {
    if (await documents.add(CHANGE, idOf(claim), own, expiresAt)) return;
    throw busy();
  }
  const stored = await documents.update(
    CHANGE,
    idOf(claim),
    (latest) => (isSameValue(latest, seen) ? own : latest),
    expiresAt,
  );
  if (stored === undefined || !isSameValue(stored, own)) throw busy();
}

const busy = () =>
  new RetryLater('TIDINGS_SLACK_CHANGE_IN_PROGRESS', 'another person is changing the record with the same button', {
    after: LOOK_AGAIN_AFTER,
  });

/** Returns whether the claim is still that of this press: after it had ended, another one may have taken it. */
async function updateOwn(
  { documents }: ChangePorts,
  { task: { id } }: RunningTask,
  claim: ChangeClaim,
  change: (own: ClaimedChange) => DocumentBody,
): Promise<boolean> {
  const stored = await documents.update(CHANGE, idOf(claim), (latest) =>
    latest.task === id ? change(latest as ClaimedChange) : latest,
  );
  return stored?.task === id;
}
