/** The messages that subscriptions will send if nothing changes: digests, and what waits or time will bring. */

import type { FC } from 'hono/jsx';
import { nextAudibleDigest } from '../../core/events/deliver-at.ts';
import { clip } from '../../core/messages/clip.ts';
import type { Digest, QuietHours } from '../../core/model/subscription.ts';
import type { Instant } from '../../core/model/time.ts';
import type { SubscriptionView } from '../../manage/api/subscriptions/subscription-schemas.ts';
import type { ForecastMessage } from '../../runtime/inspect/forecast-messages.ts';
import type { PageContext } from '../page-context.ts';
import { subscriptionPath } from '../paths.ts';
import { Icon } from './icon.tsx';
import { Moment, ShortMoment } from './moment.tsx';
import { counted } from './notice.ts';

interface MessagesAheadProps {
  readonly messages: readonly ForecastMessage[];
  /** @default - each row names its subscription */
  readonly hidesSubscription?: boolean;
}

export const MessagesAhead: FC<MessagesAheadProps> = ({ messages, hidesSubscription = false }) => (
  <ol class="ahead">
    {messages.map(({ at, zone, title, subscription, kind, people, isHeld }) => (
      <li>
        <ShortMoment at={at} zone={zone} />
        <span>
          <bdi>{clip(title, 160)}</bdi>
          {isHeld ? <span class="soft"> (held: the subscription is paused or disabled)</span> : null}
        </span>
        <span class="soft">
          {kind === 'digest' ? 'digest' : kind === 'message' ? 'message' : 'events'}
          {people === null ? '' : ` to ${counted(people, 'person', 'people')}`}
          {hidesSubscription ? null : (
            <>
              {' '}
              <Icon name="send" />{' '}
              <a href={subscriptionPath(subscription)}>
                <bdi>{subscription}</bdi>
              </a>
            </>
          )}
        </span>
      </li>
    ))}
  </ol>
);

/** When a subscription sends its next digest; undefined if it has none. An empty digest is not sent. */
export function nextDigestAt({ zone, now }: PageContext, view: SubscriptionView): Instant | undefined {
  const { digest, quiet, timeZone = zone } = view;
  // The view has the form of the config, which was validated when it was stored.
  return digest && nextAudibleDigest(digest as unknown as Digest, quiet as QuietHours | undefined, now, timeZone);
}

const MAX_AHEAD = 5;

interface SubscriptionAheadProps {
  readonly page: PageContext;
  readonly view: SubscriptionView;
  readonly messages: readonly ForecastMessage[];
}

/** What a subscription sends next; a digest also if it comes later. */
export const SubscriptionAhead: FC<SubscriptionAheadProps> = ({ page, view, messages }) => {
  const digestAt = nextDigestAt(page, view);
  const more = messages.length - MAX_AHEAD;
  if (messages.length > 0) {
    return (
      <>
        <MessagesAhead messages={messages.slice(0, MAX_AHEAD)} hidesSubscription />
        {more > 0 ? <p class="soft">and {counted(more, 'more message')}.</p> : null}
      </>
    );
  }
  if (digestAt === undefined) {
    return <p class="soft">Time alone brings no message. The next event that matches is sent.</p>;
  }
  return (
    <p class="soft">
      The next digest is at <Moment at={digestAt} zone={view.timeZone ?? page.zone} />. It is not sent if nothing is in
      it.
    </p>
  );
};
