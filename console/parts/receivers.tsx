/** Each subscription and what became of the event there, with its attempts. */

import type { FC } from 'hono/jsx';
import { sayReader } from '../../core/delivery/describe-reader.ts';
import type { getEvent } from '../../manage/api/events.ts';
import { describeOutcome, describeProgress, type OutcomeFacts } from '../outcome.ts';
import type { PageContext } from '../page-context.ts';
import { Empty } from './empty.tsx';
import { EventAttempts } from './event-attempts.tsx';
import { formatUntil } from './moment.tsx';
import { ResendForm } from './resend-form.tsx';
import { Status } from './status.tsx';

interface ReceiversProps {
  readonly page: PageContext;
  readonly explained: Awaited<ReturnType<typeof getEvent>>;
  readonly zone: string;
}

export const Receivers: FC<ReceiversProps> = ({ page, explained, zone }) => {
  const { event, deliveries, subscriptions } = explained;
  const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  const rows = subscriptions.map(({ subscription, verdict, delivery: id, earlier }) => {
    const delivery = byId.get(id ?? '') ?? null;
    const facts = { verdict: verdict as OutcomeFacts['verdict'], delivery };
    return {
      subscription,
      delivery,
      earlier: earlier.flatMap((one) => byId.get(one) ?? []),
      reader: delivery === null || delivery.reader === null ? null : sayReader(delivery.reader),
      outcome: describeOutcome(facts, event, { zone, now: page.now }),
    };
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
      {[...concerned, ...others].map(({ subscription, delivery, earlier, reader, outcome }) => (
        <li>
          <div class="receiver">
            <span class="name">
              {reader === null ? null : (
                <>
                  <bdi>{reader}</bdi>{' '}
                </>
              )}
              <bdi class={reader === null ? undefined : 'place'}>{subscription}</bdi>
            </span>
            <Status {...outcome.state} />
            <span class="detail">{outcome.detail}</span>
            {outcome.action === null ? null : (
              <ResendForm
                page={page}
                event={event.id}
                subscription={subscription}
                delivery={delivery?.id}
                reader={reader ?? subscription}
                label={outcome.action}
              />
            )}
          </div>
          {delivery === null || delivery.attempts.length === 0 ? null : (
            <EventAttempts delivery={delivery} zone={zone} />
          )}
          {earlier.toReversed().map((before) => (
            <div class="earlier">
              <p class="soft">
                Sent before <time datetime={before.createdAt}>{formatUntil(before.createdAt, zone, page.now)}</time>:{' '}
                {describeProgress(before, { zone, now: page.now })}
              </p>
              {before.attempts.length === 0 ? null : <EventAttempts delivery={before} zone={zone} />}
            </div>
          ))}
        </li>
      ))}
    </ul>
  );
};
