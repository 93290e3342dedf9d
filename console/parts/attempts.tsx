/** The attempts of a delivery with their responses, and the latest attempts of a subscription as a strip of bars. */

import type { FC } from 'hono/jsx';
import { type Attempt, attemptSkipReason } from '../../core/model/delivery.ts';
import { Moment } from './moment.tsx';
import { counted } from './notice.ts';
import { attemptState } from './state.tsx';
import { Status } from './status.tsx';

interface AttemptListProps {
  readonly attempts: readonly Attempt[];
  readonly zone: string;
}

/** Newest first: the last one explains the state. */
export const AttemptList: FC<AttemptListProps> = ({ attempts, zone }) => (
  <ol class="rows attempts" reversed>
    {attempts.toReversed().map((attempt) => (
      <li>
        <AttemptItem attempt={attempt} zone={zone} />
      </li>
    ))}
  </ol>
);

const AttemptItem: FC<{ readonly attempt: Attempt; readonly zone: string }> = ({ attempt, zone }) => {
  const { number, at, ms, status, code, message, body, requestId, reached = [] } = attempt;
  return (
    <article class="attempt" aria-label={`Attempt ${number}`}>
      <p class="attempt-head">
        <b>Attempt {number}</b> <Status {...attemptState(attempt)} /> <Moment at={at} zone={zone} />{' '}
        {attempt.outcome === 'skipped' ? null : <span class="soft">{formatMillis(ms)}</span>}
        {status === undefined ? null : <code>{status}</code>}
      </p>
      {message === undefined ? null : <p>{attemptSkipReason(attempt) ?? message}</p>}
      {code === undefined && requestId === undefined && reached.length === 0 ? null : (
        <p class="soft">
          {code === undefined ? null : <code>{code}</code>}
          {requestId === undefined ? null : (
            <>
              {' '}
              Its id at the receiver: <code>{requestId}</code>
            </>
          )}
          {reached.length === 0 ? null : ` Accepted for ${reached.join(', ')}.`}
        </p>
      )}
      {body === undefined || body === '' ? null : (
        <details>
          <summary>Response body</summary>
          <pre tabindex={0}>{body}</pre>
        </details>
      )}
    </article>
  );
};

function formatMillis(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

const BAR_WIDTH = 6;
const BAR_GAP = 2;
const STRIP_HEIGHT = 36;
/** A bar of full height: the time limit of a request. */
const FULL_MS = 15_000;

export interface StripAttempt extends Pick<Attempt, 'outcome' | 'ms' | 'at'> {
  /** Whether it was for a test message. */
  readonly isTest: boolean;
}

/** Oldest first. The height of a bar is the time it took; a failed one stands on a mark. */
export const AttemptStrip: FC<{ readonly attempts: readonly StripAttempt[] }> = ({ attempts }) => {
  if (attempts.length === 0) return <p class="soft">{describeAttempts(attempts)}</p>;
  const width = attempts.length * (BAR_WIDTH + BAR_GAP);
  return (
    <figure class="strip">
      <svg viewBox={`0 0 ${width} ${STRIP_HEIGHT + 6}`} role="img" aria-label={describeAttempts(attempts)}>
        {attempts.map(({ outcome, ms }, index) => {
          const height = barHeight(ms);
          const x = index * (BAR_WIDTH + BAR_GAP);
          const isBad = outcome === 'retry' || outcome === 'gave-up';
          return (
            <g class={`attempt-bar ${outcome}`}>
              <rect x={x} y={STRIP_HEIGHT - height} width={BAR_WIDTH} height={height} rx={1.5} />
              {isBad ? <rect x={x} y={STRIP_HEIGHT + 2} width={BAR_WIDTH} height={3} rx={1} /> : null}
            </g>
          );
        })}
      </svg>
      <figcaption>{describeAttempts(attempts)}</figcaption>
    </figure>
  );
};

/** Logarithmic: 30 ms and 300 ms differ as visibly as 300 ms and 3 s. */
function barHeight(ms: number): number {
  const share = Math.log10(Math.max(10, Math.min(ms, FULL_MS)) / 10) / Math.log10(FULL_MS / 10);
  return Math.round(6 + share * (STRIP_HEIGHT - 6));
}

/** `Last 50 attempts: 47 accepted, 3 failed. Half of them took 120 ms or less.` */
function describeAttempts(attempts: readonly StripAttempt[]): string {
  if (attempts.length === 0) return 'No attempts yet.';
  const count = (...outcomes: readonly Attempt['outcome'][]) =>
    attempts.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const parts = [
    [count('accepted'), 'accepted'],
    [count('retry', 'gave-up'), 'failed'],
    [count('skipped'), 'skipped'],
  ] as const;
  const named = parts.filter(([number]) => number > 0).map(([number, word]) => `${number} ${word}`);
  const times = attempts.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const median = times[Math.floor((times.length - 1) / 2)] ?? 0;
  const head = attempts.length === 1 ? 'The only attempt' : `Last ${counted(attempts.length, 'attempt')}`;
  const half = attempts.length === 1 ? 'It took' : 'Half of them took';
  return `${head}: ${named.join(', ')}. ${half} ${formatMillis(median)}${attempts.length === 1 ? '' : ' or less'}.`;
}
