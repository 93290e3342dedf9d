/**
 * How often people may ask the admins: each request is a direct message to every admin. One request at a time for the same
 * query in the same place, none for a day after it was denied, and few of one person.
 */

import { createHash } from 'node:crypto';
import { DAY, type Instant, MINUTE, plus } from '../../core/model/time.ts';
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

/** A request whose messages to the admins are not sent yet counts as open for as long. */
const SENT_WITHIN = 5 * MINUTE;

interface AskedBefore {
  readonly id: string;
  /** @default - an earlier version did not keep it for a place */
  readonly at?: Instant;
}

interface AskedOfPlace extends AskedBefore {
  readonly user: string;
}

type LimitPorts = Pick<SlackPorts, 'documents' | 'clock'>;
type ReadRequest = (id: string) => Promise<LimitedRequest | undefined>;

function placeId({ place: { channel, thread = '' }, query, replaces = '' }: Draft): string {
  return createHash('sha256')
    .update(JSON.stringify([channel, thread, query, replaces]))
    .digest('hex');
}

/**
 * Enters the request before anything is sent, so that of many at once no more than allowed are. Returns why the person may not ask now;
 * undefined if they may. Repeating it has no effect.
 */
export async function claimAsk(
  ports: LimitPorts,
  id: string,
  draft: Draft,
  readRequest: ReadRequest,
): Promise<string | undefined> {
  const now = ports.clock.now();
  const isOpen = async ({ id, at }: AskedBefore) => {
    const request = await readRequest(id);
    const isSent = request !== undefined && request.messages.length > 0;
    if (!isSent) return at !== undefined && plus(at, SENT_WITHIN) > now;
    // A draft that is gone cannot be decided on any more.
    return request.state === 'open' && (await readDraft(ports, id)) !== undefined;
  };
  const earlier = await enterAsked(ports, id, draft.place.user);
  const problem =
    (await findPersonLimit(earlier, isOpen, now)) ?? (await claimPlace(ports, id, draft, isOpen, readRequest));
  if (problem !== undefined) await removeAsked(ports, id, draft.place.user);
  return problem;
}

/** No admin could be reached: it does not count. */
export async function releaseAsk(ports: LimitPorts, id: string, draft: Draft): Promise<void> {
  await removeAsked(ports, id, draft.place.user);
  const place = await ports.documents.get(OF_PLACE, placeId(draft));
  if (place?.id === id) await ports.documents.remove(OF_PLACE, placeId(draft));
}

type IsOpen = (asked: AskedBefore) => Promise<boolean>;

async function findPersonLimit(
  earlier: readonly AskedBefore[],
  isOpen: IsOpen,
  now: Instant,
): Promise<string | undefined> {
  if (earlier.filter(({ at }) => at !== undefined && plus(at, DAY) > now).length >= MAX_A_DAY)
    return `You have asked the admins ${MAX_A_DAY} times today. Ask again tomorrow.`;
  const open = await Promise.all(earlier.map(isOpen));
  if (open.filter(Boolean).length < MAX_OPEN) return undefined;
  return `You have ${MAX_OPEN} requests that no admin has decided yet. Ask again when one has.`;
}

/** Returns the requests that the person entered before it. */
async function enterAsked({ documents, clock }: LimitPorts, id: string, user: string): Promise<readonly AskedBefore[]> {
  const now = clock.now();
  const expiresAt = plus(now, KEPT_FOR);
  const entry = { id, at: now };
  const first = { asked: [entry] };
  if (await documents.add(OF_PERSON, user, first, expiresAt)) return [];
  const enter = (stored: DocumentBody) => {
    const asked = askedIn(stored);
    if (asked.some((one) => one.id === id)) return stored;
    const recent = asked.filter(({ at }) => at !== undefined && plus(at, KEPT_FOR) > now);
    return { ...stored, asked: [...recent, entry] };
  };
  const entered = await documents.update(OF_PERSON, user, enter, expiresAt);
  // It has just expired.
  if (entered === undefined) await documents.save(OF_PERSON, user, first, expiresAt);
  const asked = askedIn(entered ?? first);
  return asked.slice(
    0,
    asked.findIndex((one) => one.id === id),
  );
}

async function removeAsked({ documents }: LimitPorts, id: string, user: string): Promise<void> {
  await documents.update(OF_PERSON, user, (stored) => ({
    ...stored,
    asked: askedIn(stored).filter((one) => one.id !== id),
  }));
}

const askedIn = ({ asked }: DocumentBody) => asked as readonly AskedBefore[];

async function claimPlace(
  { documents, clock }: LimitPorts,
  id: string,
  draft: Draft,
  isOpen: IsOpen,
  readRequest: ReadRequest,
): Promise<string | undefined> {
  const now = clock.now();
  const expiresAt = plus(now, KEPT_FOR);
  const place = placeId(draft);
  const own = { id, user: draft.place.user, at: now };
  const waits = ({ user }: AskedOfPlace) => `${mention(user)} asked for this already. No admin has decided yet.`;
  if (await documents.add(OF_PLACE, place, own, expiresAt)) return undefined;
  const before = ofPlace(await documents.get(OF_PLACE, place));
  if (before !== undefined && before.id !== id) {
    if (await isOpen(before)) return waits(before);
    const { state, by = '', decidedAt } = (await readRequest(before.id)) ?? {};
    const end = state === 'denied' && decidedAt !== undefined ? plus(decidedAt, WAIT_AFTER_DENIAL) : undefined;
    if (end !== undefined && end > now) return `${mention(by)} denied this. It can be asked again ${slackTime(end)}.`;
  }
  const replace = (stored: DocumentBody): DocumentBody => (stored.id === before?.id ? own : stored);
  const replaced = ofPlace(await documents.update(OF_PLACE, place, replace, expiresAt));
  // It has just expired.
  if (replaced === undefined) await documents.save(OF_PLACE, place, own, expiresAt);
  return replaced === undefined || replaced.id === id ? undefined : waits(replaced);
}

const ofPlace = (stored: DocumentBody | undefined) => stored as AskedOfPlace | undefined;
