/** The newest attempts of a delivery on the page of an event: when, how long, what the receiver responded. */

import type { FC } from 'hono/jsx';
import { type Attempt, attemptSkipReason, type Delivery } from '../../core/model/delivery.ts';
import { pathTo } from '../paths.ts';
import { Moment } from './moment.tsx';
import { attemptState } from './state.tsx';
import { Status } from './status.tsx';

interface AttemptsProps {
  readonly delivery: Pick<Delivery, 'id' | 'attempts'>;
  readonly zone: string;
  /** @default - the newest five; the page of the delivery shows all */
  readonly limit?: number;
}

export const EventAttempts: FC<AttemptsProps> = ({ delivery: { id, attempts }, zone, limit = 5 }) => {
  const shown = attempts.slice(-limit).toReversed();
  return (
    <ol class="attempts-short" aria-label="Attempts, newest first">
      {shown.map((attempt) => (
        <li>
          <span class="number">#{attempt.number}</span> <Moment at={attempt.at} zone={zone} />{' '}
          <Status {...attemptState(attempt)} />{' '}
          {attempt.outcome === 'skipped' ? null : (
            <span class="soft">
              {attempt.status === undefined ? '' : `${attempt.status}, `}
              {attempt.ms} ms
            </span>
          )}
          <Response attempt={attempt} />
        </li>
      ))}
      <li>
        <a href={pathTo(`/deliveries/${encodeURIComponent(id)}`)}>
          {attempts.length > shown.length ? `All ${attempts.length} attempts` : nameLink(attempts)}
        </a>
      </li>
    </ol>
  );
};

/** What was skipped was not requested. */
const nameLink = (attempts: readonly Attempt[]) =>
  attempts.every(({ outcome }) => outcome === 'skipped') ? 'The delivery' : 'The request';

/** What the receiver responded, or why there was no response. */
const Response: FC<{ readonly attempt: Attempt }> = ({ attempt }) => {
  const { message, code, body, requestId, reached, outcome } = attempt;
  const problem = attemptSkipReason(attempt) ?? message ?? code;
  const isFailure = outcome === 'retry' || outcome === 'gave-up';
  return (
    <>
      {problem === undefined ? null : <p class={isFailure ? 'problem-text' : 'soft'}>{problem}</p>}
      {reached === undefined || reached.length === 0 ? null : <p class="soft">reached {reached.join(', ')}</p>}
      {body === undefined || body === '' ? null : (
        <details class="body">
          <summary>Response{requestId === undefined ? '' : `, request id ${requestId}`}</summary>
          <pre tabindex={0}>
            <code>{body.toWellFormed()}</code>
          </pre>
        </details>
      )}
    </>
  );
};
