/**
 * When a change happened, as a timeline: the window in which it happened, when Tidings found it, and when it was sent. The API
 * does not say when exactly it happened, and neither does this.
 */

import type { FC } from 'hono/jsx';
import type { TidingsEvent } from '../../core/model/event.ts';
import { between, type Instant } from '../../core/model/time.ts';
import { formatInstant, formatTimeSpan, Moment } from './moment.tsx';

interface WindowProps {
  readonly event: TidingsEvent;
  readonly zone: string;
  /** When it was accepted first. @default - not yet */
  readonly sentAt?: Instant;
}

/** Positions on a drawing of 1000 units. */
const LEFT = 90;
const RIGHT = 910;
const LAST = 370;
const FOUND = 640;

export const WindowTimeline: FC<WindowProps> = ({ event, zone, sentAt }) => {
  const { after, before } = event.data.occurred;
  const clock = (at: Instant) => formatInstant(at, zone, 'clock');
  const isExact = after === null || after >= before;
  const isDated = before < event.time;
  const last = isDated ? LAST : FOUND;
  return (
    <figure class="window">
      <svg viewBox="0 0 1000 74" role="img" aria-label={sayWindow(event)}>
        <line class="axis" x1="0" y1="30" x2="1000" y2="30" />
        {isExact ? null : <rect class="span" x={LEFT} y="22" width={last - LEFT} height="16" rx="8" />}
        {isExact ? null : <Mark x={LEFT} label="not before" time={clock(after ?? before)} />}
        {isDated ? <Mark x={LAST} label={labelOfLast(event)} time={clock(before)} /> : null}
        <Mark x={FOUND} label="found" time={clock(event.time)} isMain />
        {sentAt === undefined ? null : <Mark x={RIGHT} label="first accepted" time={clock(sentAt)} />}
      </svg>
      <figcaption>
        {sayWindow(event)} <SentWords event={event} sentAt={sentAt} />
      </figcaption>
      <dl class="facts">
        {after === null ? null : (
          <>
            <dt>Not before</dt>
            <dd>
              <Moment at={after} zone={zone} />
            </dd>
          </>
        )}
        <dt>Not after</dt>
        <dd>
          <Moment at={before} zone={zone} />
        </dd>
        <dt>Found</dt>
        <dd>
          <Moment at={event.time} zone={zone} />
        </dd>
      </dl>
    </figure>
  );
};

const Mark: FC<{ readonly x: number; readonly label: string; readonly time: string; readonly isMain?: boolean }> = ({
  x,
  label,
  time,
  isMain = false,
}) => (
  <>
    <circle class={isMain ? 'mark main' : 'mark'} cx={x} cy="30" r={isMain ? 8 : 6} />
    <text x={x} y="12" text-anchor="middle">
      {time}
    </text>
    <text class="label" x={x} y="60" text-anchor="middle">
      {label}
    </text>
  </>
);

const labelOfLast = ({ data: { cause } }: TidingsEvent) => (cause === 'tick' ? 'came true' : 'not after');

/** `It happened within 4 min 12 s: after one scan of the account and before the next.` */
function sayWindow({ time, data: { cause, occurred } }: TidingsEvent): string {
  const { after, before } = occurred;
  if (cause === 'tick') return 'The passing of time caused it; nobody changed the record.';
  if (after === null) return 'No earlier scan could have shown it, so its start is not known.';
  const span = `It happened within ${formatTimeSpan(between(after, before))}`;
  return before < time
    ? `${span}, and was found ${formatTimeSpan(between(before, time))} later.`
    : `${span}: after one scan of the account and before the next.`;
}

const SentWords: FC<Pick<WindowProps, 'event' | 'sentAt'>> = ({ event, sentAt }) =>
  sentAt === undefined ? null : (
    <>The first receiver accepted it {formatTimeSpan(between(event.time, sentAt))} after it was found.</>
  );
