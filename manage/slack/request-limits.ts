/**
 * How often people may ask the admins: each request is a direct message to every admin. One request at a time for the same
 * query in the same place, none for a day after it was denied, and few of one person.
 */

import { createHash } from 'node:crypto';
import { DAY, type Instant, plus } from '../../core/model/time.ts';
import type { DocumentBody } from '../../core/ports/document-store.ts';
import { mention, slackTime } from './blocks.ts';
import { type Draft, readDraft } from './draft.ts';
import type { SlackPorts } from './slack-ports.ts';

/** What the limits need to know of a request. */
export interface LimitedRequest {
  readonly state: 'open' | 'allowed' | 'denied';
  /** The admin who decided. @default - nobody has */
  readonly by?: string;
  /** @default - nobody has decided, or an earlier version did not keep it */
  readonly decidedAt?: Instant;
  /** The messages to the admins. */
  readonly messages: readonly string[];
}

/** More than anyone needs. */
const MAX_OPEN = 5;
const MAX_A_DAY = 20;

const WAIT_AFTER_DENIAL = DAY;
const KEPT_FOR = 7 * DAY;

/** The request of a place and a query, and the requests of a person. */
const OF_PLACE = 'slack-asked';
const OF_PERSON = 'slack-asked-by';

interface AskedBefore {
  readonly id: string;
  readonly at: Instant;
}

type LimitPorts = Pick<SlackPorts, 'documents' | 'clock'>;
type ReadRequest = (id: string) => Promise<LimitedRequest | undefined>;

function placeId({ place: { channel, thread = '' }, query, replaces = '' }: Draft): string {
  return createHash('sha256')
    .update(JSON.stringify([channel, thread, query, replaces]))
    .digest('hex');
}

/** Why the person may not ask now; undefined if they may. */
export async function findAskLimit(
  ports: LimitPorts,
  id: string,
  draft: Draft,
  readRequest: ReadRequest,
): Promise<string | undefined> {
  const now = ports.clock.now();
  // A draft that is gone cannot be decided on any more.
  const isOpen = async (other: string, request: LimitedRequest | undefined) =>
    request?.state === 'open' && request.messages.length > 0 && (await readDraft(ports, other)) !== undefined;
  const same = await ports.documents.get(OF_PLACE, placeId(draft));
  if (same !== undefined && same.id !== id) {
    const other = `${same.id}`;
    const request = await readRequest(other);
    if (await isOpen(other, request))
      return `${mention(`${same.user}`)} asked for this already. No admin has decided yet.`;
    const { state, by = '', decidedAt } = request ?? {};
    const end = state === 'denied' && decidedAt !== undefined ? plus(decidedAt, WAIT_AFTER_DENIAL) : undefined;
    if (end !== undefined && end > now) return `${mention(by)} denied this. It can be asked again ${slackTime(end)}.`;
  }
  const own = (await readAsked(ports, draft.place.user)).filter((one) => one.id !== id);
  if (own.filter(({ at }) => plus(at, DAY) > now).length >= MAX_A_DAY)
    return `You have asked the admins ${MAX_A_DAY} times today. Ask again tomorrow.`;
  const open = await Promise.all(own.map(async (one) => isOpen(one.id, await readRequest(one.id))));
  if (open.filter(Boolean).length < MAX_OPEN) return undefined;
  return `You have ${MAX_OPEN} requests that no admin has decided yet. Ask again when one has.`;
}

/** Repeating it has no effect. */
export async function rememberAsked(ports: LimitPorts, id: string, draft: Draft): Promise<void> {
  const { documents, clock } = ports;
  const now = clock.now();
  const { user } = draft.place;
  const expiresAt = plus(now, KEPT_FOR);
  await documents.save(OF_PLACE, placeId(draft), { id, user }, expiresAt);
  const asked = await readAsked(ports, user);
  if (asked.some((one) => one.id === id)) return;
  const recent = asked.filter(({ at }) => plus(at, KEPT_FOR) > now);
  const body: DocumentBody = { asked: [...recent, { id, at: now }] };
  await documents.save(OF_PERSON, user, body, expiresAt);
}

async function readAsked({ documents }: LimitPorts, user: string): Promise<readonly AskedBefore[]> {
  const body = await documents.get(OF_PERSON, user);
  return body === undefined ? [] : (body.asked as readonly AskedBefore[]);
}
