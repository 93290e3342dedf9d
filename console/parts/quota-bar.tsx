/** The requests of a source to its account today: used, expected until the reset, and reserved for others. */

import type { FC } from 'hono/jsx';
import { between, DAY, type Instant } from '../../core/model/time.ts';
import type { SourceStatus } from '../../runtime/inspect/status.ts';
import { formatInstant } from './moment.tsx';

interface QuotaBarProps {
  readonly status: SourceStatus;
  readonly now: Instant;
  readonly zone: string;
}

const WIDTH = 1000;

export const QuotaBar: FC<QuotaBarProps> = ({ status, now, zone }) => {
  const { quota, requestsADay, reserve, stretch } = status;
  if (quota === null || quota.limit <= 0) return <p class="soft">The account’s quota is not known yet.</p>;
  const { limit, used, resetsAt } = quota;
  const left = resetsAt === null ? DAY : Math.min(DAY, Math.max(0, between(now, resetsAt)));
  const expected = Math.min(limit, used + Math.round((requestsADay / stretch) * (left / DAY)));
  const reserved = Math.round(limit * reserve);
  const x = (requests: number) => (Math.min(requests, limit) / limit) * WIDTH;
  const number = (value: number) => value.toLocaleString('en');
  const words =
    `${number(used)} of ${number(limit)} requests used today, about ${number(expected)} expected` +
    `${resetsAt === null ? '' : ` by ${formatInstant(resetsAt, zone, 'minute')}`}; ${number(reserved)} are left to others` +
    `${stretch > 1.01 ? `. Scans are ${stretch.toFixed(1)} times less frequent than configured, to stay within it` : ''}.`;
  return (
    <figure class="quota">
      <svg viewBox={`0 0 ${WIDTH} 14`} preserveAspectRatio="none" role="img" aria-label={words}>
        <rect class="all" width={WIDTH} height="14" rx="4" />
        <rect class="reserved" x={WIDTH - x(reserved)} width={x(reserved)} height="14" />
        <rect class="expected" width={x(expected)} height="14" />
        <rect class="used" width={x(used)} height="14" />
      </svg>
      <figcaption>{words}</figcaption>
    </figure>
  );
};
