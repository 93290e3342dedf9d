/** Events per hour as bars, drawn on the server. Each bar links to the events of its hour. */

import type { FC } from 'hono/jsx';
import { HOUR, type Instant, plus } from '../../core/model/time.ts';
import { pathTo } from '../paths.ts';
import { formatInstant } from './moment.tsx';

interface HoursChartProps {
  /** Oldest first. */
  readonly hours: readonly { readonly hour: Instant; readonly count: number }[];
  /** Whether older hours are left out, because they have too many events. */
  readonly isTruncated: boolean;
  readonly zone: string;
}

const WIDTH = 960;
const HEIGHT = 300;
const TOP = 30;
const BASE = 262;

export const HoursChart: FC<HoursChartProps> = ({ hours, isTruncated, zone }) => {
  const most = Math.max(1, ...hours.map(({ count }) => count));
  const step = WIDTH / Math.max(1, hours.length);
  const total = hours.reduce((sum, { count }) => sum + count, 0);
  const label = `${total.toLocaleString('en')} events in the last ${hours.length} hours, at most ${most.toLocaleString('en')} in one hour`;
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-label={label}>
        <line class="axis" x1="0" y1={BASE} x2={WIDTH} y2={BASE} />
        {hours.map(({ hour, count }, index) => {
          // A count of one stays visible beside a count of thousands.
          const height = count === 0 ? 0 : Math.max(3, ((BASE - TOP) * count) / most);
          const x = index * step;
          return (
            <>
              {count === 0 ? null : (
                <a href={hourPath(hour, zone)} aria-label={sayHour(hour, count, zone)}>
                  <title>{sayHour(hour, count, zone)}</title>
                  <rect class="touch" x={x} y="0" width={step} height={BASE} />
                  <rect class="bar" x={x + step * 0.14} y={BASE - height} width={step * 0.72} height={height} rx="3" />
                </a>
              )}
              {count === most && total > 0 ? (
                <text x={x + step / 2} y={BASE - height - 5} text-anchor="middle">
                  {count.toLocaleString('en')}
                </text>
              ) : null}
              {index % 4 === 3 || hours.length < 8 ? (
                <text class="label" x={x + step / 2} y={HEIGHT - 8} text-anchor="middle">
                  {formatInstant(hour, zone, 'minute')}
                </text>
              ) : null}
            </>
          );
        })}
      </svg>
      <figcaption>
        {label}.{isTruncated ? ' Hours before these have too many events to count.' : ''}
      </figcaption>
    </figure>
  );
};

const sayHour = (hour: Instant, count: number, zone: string) =>
  `${formatInstant(hour, zone, 'minute')}: ${count.toLocaleString('en')} events`;

/** As `datetime-local` inputs write it, in the zone of the account. */
function hourPath(hour: Instant, zone: string): string {
  return pathTo('/events', { from: formatLocal(hour, zone), to: formatLocal(plus(hour, HOUR), zone) });
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatLocal(at: Instant, zone: string): string {
  const format =
    formats.get(zone) ??
    // Sweden writes dates as 2026-11-16 09:31.
    new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  formats.set(zone, format);
  return format.format(Date.parse(at)).replace(' ', 'T');
}
