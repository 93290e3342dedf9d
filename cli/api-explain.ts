/** Explains a record or an event through the management API: with its recorded events instead of its stored transitions. */

import { UsageError } from '../core/model/errors.ts';
import type { Fields } from '../core/model/record.ts';
import type { Snapshot, Stage } from '../core/model/snapshot.ts';
import type { Clock } from '../core/model/time.ts';
import { defaultRules } from '../core/snapshot/stage.ts';
import { SOURCE_RESOURCE } from '../core/source/health.ts';
import { type StoredRecord, TidingsApiError, type TidingsClient } from '../kit/client.ts';
import type { SourceConfig } from '../runtime/config/config.ts';
import { type ExplainResult, explain } from '../runtime/inspect/explain.ts';
import type { PlacedStores } from './place.ts';

export async function explainThroughApi(
  stores: PlacedStores,
  clock: Clock,
  subject: string,
): Promise<readonly ExplainResult[]> {
  const { client, subscriptions, snapshots } = stores;
  if (client === undefined) throw new Error('explainThroughApi: expected stores of the API');
  const sources = (await client.listSources()).data.map(({ source }) => unreadSource(source));
  const declared = (await subscriptions.list()).filter((one) => one.declared);
  const answers = await explain(
    {
      ...stores,
      clock,
      // Without snapshots all steps are those of recorded events. The record is added below.
      snapshots: { ...snapshots, get: async (key) => (isOwn(key) ? snapshots.get(key) : undefined) },
    },
    { sources, rules: defaultRules, customEvents: [], subscriptions: declared },
    subject,
  );
  const complete = await Promise.all(answers.map((answer) => addRecord(client, answer)));
  const known = complete.filter(({ snapshot, steps }) => snapshot !== null || steps.length > 0);
  if (known.length > 0) return known;
  throw new UsageError('TIDINGS_API_NOT_FOUND', `explain: '${subject}' not found, or the key may not see it`);
}

/** The health of a source or of a receiver, not a record of the account. */
const isOwn = ({ resource }: ExplainResult['key']) => resource === SOURCE_RESOURCE || resource === 'subscription';

/** A source of which no resource is read from here. */
function unreadSource(name: string): SourceConfig {
  const unread = { name, baseUrl: '', token: '', announceExisting: false, attribution: false, resources: [] };
  return unread as unknown as SourceConfig;
}

/** What only the server knows: the record, its future, and how it is read. */
async function addRecord(client: TidingsClient, answer: ExplainResult): Promise<ExplainResult> {
  const { source, resource, id } = answer.key;
  if (isOwn(answer.key)) return answer;
  const found = await client.getRecord(resource, id, { source }).catch((error: unknown) => {
    if (error instanceof TidingsApiError && error.status === 404) return { data: [] };
    throw error;
  });
  const [view] = found.data;
  if (view === undefined) return answer;
  const reading = view.reading as unknown as ExplainResult['reading'];
  return { ...answer, snapshot: toSnapshot(view), ahead: view.ahead, reading };
}

function toSnapshot({ source, resource, id, record, stage, version, committedAt, deletedAt }: StoredRecord): Snapshot {
  return {
    key: { source, resource, id },
    version,
    record: record as Fields,
    stage: stage as Stage,
    deletedAt,
    committedAt,
    cause: 'poll',
    occurred: { after: null, before: committedAt },
    nextMoment: null,
  };
}
