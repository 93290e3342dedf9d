/** Each subscription and what became of the event there, with its attempts. */

import type { FC } from 'hono/jsx';
import type { getEvent } from '../../manage/api/events.ts';
import { describeOutcome, type OutcomeFacts } from '../outcome.ts';
import type { PageContext } from '../page-context.ts';
import { Empty } from './empty.tsx';
import { EventAttempts } from './event-attempts.tsx';
import { ResendForm } from './resend-form.tsx';
import { Status } from './status.tsx';

interface ReceiversProps {
  readonly page: PageContext;
  readonly explained: Awaited<ReturnType<typeof getEvent>>;
  readonly zone: string;
}

export const Receivers: FC<ReceiversProps> = ({ page, explained, zone }) => {
  const { event, deliveries, subscriptions } = explained;
  const rows = subscriptions.map(({ subscription, verdict, delivery: id, receiverPaused }) => {
    const delivery = deliveries.find((one) => one.id === id) ?? null;
    const facts = { verdict, delivery, receiverPaused } as OutcomeFacts;
    return { subscription, delivery, outcome: describeOutcome(facts, event, zone) };
  });
  // Those who got it or should have come first.
  const [concerned, others] = [
    rows.filter(({ delivery }) => delivery !== null),
    rows.filter(({ delivery }) => delivery === null),
  ];
  if (rows.length === 0) {
    return (
      <Empty title="There are no subscriptions">
        <p>
          Add one under <code>subscriptions</code> in the config, or with <code>tidings subscriptions add</code>.
        </p>
      </Empty>
    );
  }
  return (
    <ul class="receivers">
      {[...concerned, ...others].map(({ subscription, delivery, outcome }) => (
        <li>
          <div class="receiver">
            <span class="name">
              <bdi>{subscription}</bdi>
            </span>
            <Status tone={outcome.tone} icon={outcome.icon} word={outcome.word} />
            <span class="detail">{outcome.detail}</span>
            {outcome.canResend ? (
              <ResendForm
                page={page}
                event={event.id}
                subscription={subscription}
                label={delivery === null ? 'Send' : isOpen(delivery.status) ? 'Retry now' : 'Resend'}
              />
            ) : null}
          </div>
          {delivery === null || delivery.attempts.length === 0 ? null : (
            <EventAttempts delivery={delivery} zone={zone} />
          )}
        </li>
      ))}
    </ul>
  );
};

const isOpen = (status: string) => status === 'pending' || status === 'failed';
