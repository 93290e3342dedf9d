/** A source: its health, its quota, and when each resource was and will be scanned. */

import type { FC } from 'hono/jsx';
import type { ResourceStatus, SourceStatus } from '../../runtime/inspect/status.ts';
import { Csrf } from '../layout.tsx';
import { type PageContext, zoneOf } from '../page-context.ts';
import { pathTo } from '../paths.ts';
import { sourceState } from '../source-state.ts';
import { Icon } from './icon.tsx';
import { Relative } from './moment.tsx';
import { QuotaBar } from './quota-bar.tsx';
import { Status } from './status.tsx';

export const SourceCard: FC<{ readonly page: PageContext; readonly status: SourceStatus }> = ({ page, status }) => {
  const zone = zoneOf(page, status.source);
  return (
    <section class="card">
      <div class="head">
        <h2>
          Source {status.source} <Status {...sourceState(status)} />
        </h2>
        {page.session.isReadOnly ? null : (
          <form method="post" action={pathTo(`/sources/${encodeURIComponent(status.source)}/scan`)}>
            <Csrf page={page} />
            <button type="submit">
              <Icon name="soon" /> Scan now<span class="unseen"> {status.source}</span>
            </button>
          </form>
        )}
      </div>
      {status.reason === null ? null : <p class="problem-text">{status.reason}</p>}
      {status.timeZone === null ? (
        <p class="soft">Its time zone is not known yet: events by time start when it is.</p>
      ) : null}
      <QuotaBar status={status} now={page.now} zone={zone} />
      <table class="scans">
        <thead>
          <tr>
            <th scope="col">Resource</th>
            <th scope="col" class="number">
              Records
            </th>
            <th scope="col">Last scan</th>
            <th scope="col">Next scan</th>
            <th scope="col" class="number">
              Requests a day
            </th>
          </tr>
        </thead>
        <tbody>
          {status.resources.map((resource) => (
            <ResourceRow page={page} resource={resource} zone={zone} />
          ))}
        </tbody>
      </table>
    </section>
  );
};

const ResourceRow: FC<{ readonly page: PageContext; readonly resource: ResourceStatus; readonly zone: string }> = ({
  page,
  resource,
  zone,
}) => {
  const { lastGoodScanAt, nextScanAt, lastError, failures, forbidden } = resource;
  return (
    <tr>
      <th scope="row">{resource.resource}</th>
      <td class="number">{resource.count?.toLocaleString('en') ?? '–'}</td>
      <td>
        {lastGoodScanAt === null ? 'never' : <Relative at={lastGoodScanAt} zone={zone} now={page.now} />}
        {forbidden ? <span class="problem-text"> the token may not read it</span> : null}
        {failures > 0 && lastError !== null && !forbidden ? (
          <span class="problem-text"> failed since: {lastError.message}</span>
        ) : null}
      </td>
      <td>
        {nextScanAt === null || nextScanAt <= page.now ? (
          'now'
        ) : (
          <Relative at={nextScanAt} zone={zone} now={page.now} />
        )}
      </td>
      <td class="number">{resource.requestsADay.toLocaleString('en')}</td>
    </tr>
  );
};
