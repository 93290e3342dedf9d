/** The audit trail: who changed what, and when. */

import type { Child, FC } from 'hono/jsx';
import type { Actor, AuditEntry } from '../../core/model/audit.ts';
import { listAudit } from '../../manage/api/audit.ts';
import { Layout } from '../layout.tsx';
import type { PageContext } from '../page-context.ts';
import { Empty } from '../parts/empty.tsx';
import { ClockTime, formatDayHeading } from '../parts/moment.tsx';
import { Paging, readCursor } from '../parts/paging.tsx';
import { deliveryPath, pathTo, subscriptionPath } from '../paths.ts';

const PAGE_SIZE = 100;

export async function showAudit(page: PageContext): Promise<Child> {
  const after = readCursor(page.url);
  const { data, next } = await listAudit(page.api, { limit: PAGE_SIZE, after });
  const days = Map.groupBy(data, ({ at }) => formatDayHeading(at, page.zone, page.now));
  return (
    <Layout page={page} title="Audit" section="audit">
      <h1>Audit</h1>
      {data.length === 0 ? (
        <Empty title="No changes yet">
          <p>
            Every change that a person or a program makes appears here: subscriptions, pauses, retries, keys and
            log-ins.
          </p>
        </Empty>
      ) : null}
      {[...days].map(([day, entries]) => (
        <section class="day">
          <h2>{day}</h2>
          <ol class="rows">
            {entries.map((entry) => (
              <AuditRow page={page} entry={entry} />
            ))}
          </ol>
        </section>
      ))}
      <Paging url={page.url} next={next} />
    </Layout>
  );
}

const AuditRow: FC<{ readonly page: PageContext; readonly entry: AuditEntry }> = ({ page, entry }) => {
  const { at, by, action, target, details = {} } = entry;
  const path = pathOf(target);
  return (
    <li id={entry.id} class="audit">
      <ClockTime at={at} zone={page.zone} />
      <span class="what">
        <b>
          <bdi>{by.name ?? by.id}</bdi>
        </b>{' '}
        {ACTION_WORDS[action] ?? action}{' '}
        {path === undefined ? <bdi>{nameOf(target)}</bdi> : <a href={path}>{nameOf(target)}</a>}
        <span class="place">{[BY_WORDS[by.kind], ...describeDetails(details)].join(' · ')}</span>
      </span>
    </li>
  );
};

const BY_WORDS: Readonly<Record<Actor['kind'], string>> = {
  key: 'with a key',
  iam: 'with an IAM identity',
  command: 'at the command line',
  console: 'in the console',
  receiver: 'by its answer',
  slack: 'in Slack',
  reader: 'with the link in a mail',
  service: 'by a rule of its own',
};

const ACTION_WORDS: Readonly<Record<string, string>> = {
  'console.link_made': 'made a log-in link for the',
  'console.logged_in': 'logged in to the',
  'console.sessions_ended': 'ended all sessions of the',
  'deliveries.retried': 'retried deliveries of',
  'delivery.retried': 'retried',
  'key.created': 'made',
  'data.imported': 'imported',
  'data.restored': 'restored',
  'key.removed': 'removed',
  'reader.resubscribed': 'subscribed a reader again to',
  'reader.unsubscribed': 'unsubscribed from',
  'source.adopted': 'moved records to',
  'source.forgotten': 'forgot',
  'source.scan_requested': 'asked for a scan of',
  'subscription.changed': 'changed',
  'subscription.created': 'made',
  'subscription.paused': 'paused',
  'subscription.removed': 'removed',
  'subscription.replayed': 'sent recorded events again to',
  'subscription.resumed': 'resumed',
  'subscription.rotated': 'replaced the signing secret of',
  'subscription.tested': 'sent a test message to',
};

/** `subscription ops`, `key 0123…`, `console` */
function nameOf(target: string): string {
  return target.replace('/', ' ');
}

function pathOf(target: string): string | undefined {
  const [kind = '', ...rest] = target.split('/');
  const id = rest.join('/');
  if (kind === 'subscription') return subscriptionPath(id);
  if (kind === 'delivery') return deliveryPath(id);
  return kind === 'key' ? pathTo('/keys') : undefined;
}

/** `count 37`, `fields events, where` */
function describeDetails(details: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(details).map(([key, value]) => {
    const text = Array.isArray(value) ? value.join(', ') : typeof value === 'object' ? JSON.stringify(value) : value;
    return `${key} ${String(text)}`;
  });
}
