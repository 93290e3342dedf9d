/** Drafts: what a person typed and has not confirmed yet. Kept for a week, so that a preview can be confirmed the next day. */

import { knownTypes } from '../../core/events/custom-events.ts';
import { subscriptionFromQuery } from '../../core/filters/query-compile.ts';
import { DAY, plus } from '../../core/model/time.ts';
import type { DocumentBody } from '../../core/ports/document-store.ts';
import { createZoneLookup } from '../../runtime/zones.ts';
import { isDirectMessage } from './authority.ts';
import type { SlackPorts } from './slack-ports.ts';
import type { SlackPlace } from './slack-request.ts';

/** A subscription that a person has not confirmed yet. */
export interface Draft {
  readonly query: string;
  readonly place: Omit<SlackPlace, 'responseUrl'>;
  /** The subscription that it changes: for the digest of the home only, no form names one. @default - a new one */
  readonly replaces?: string;
  /** The admin who allowed it. @default - nobody had to */
  readonly allowedBy?: string;
  /** The objection that this admin had read. @default - nobody had to allow it, or an earlier version did not keep it */
  readonly allowedObjection?: string;
}

const DRAFT = 'slack-draft';
const KEPT_FOR = 7 * DAY;

/** Who will read what is sent there. */
export const sayReaders = ({ channel }: Pick<SlackPlace, 'channel'>) =>
  isDirectMessage(channel)
    ? 'Nobody else reads this conversation.'
    : 'Everyone in this channel can read these events, also people who join later.';

/** For those who may not be there: Slack shows them no name of a direct message. */
export function namePlace({ channel, thread }: Pick<SlackPlace, 'channel' | 'thread'>): string {
  if (isDirectMessage(channel)) return 'a direct message with Tidings';
  return thread === undefined ? `<#${channel}>` : `a thread of <#${channel}>`;
}

export function compileChannelQuery({ config }: Pick<SlackPorts, 'config'>, query: string) {
  return subscriptionFromQuery(
    query,
    knownTypes(config).map(({ type }) => type),
  );
}

export async function readDraft({ documents }: Pick<SlackPorts, 'documents'>, id: string): Promise<Draft | undefined> {
  const body = await documents.get(DRAFT, id);
  if (body === undefined) return undefined;
  // Earlier versions stored the one that the metadata of a form named, without a check.
  const { replaces: _, ...draft } = body as unknown as Draft;
  return draft;
}

export async function saveDraft(ports: Pick<SlackPorts, 'documents' | 'clock'>, id: string, draft: Draft) {
  const body: DocumentBody = { ...draft };
  await ports.documents.save(DRAFT, id, body, plus(ports.clock.now(), KEPT_FOR));
}

/** The zone of the first source, for digests. */
export function digestZone({ config, snapshots }: Pick<SlackPorts, 'config' | 'snapshots'>): Promise<string> {
  return createZoneLookup(config.sources, snapshots)(config.sources[0]?.name ?? '');
}
