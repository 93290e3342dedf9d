/** Readers who unsubscribed, and the way back. */

import type { FC } from 'hono/jsx';
import type { SubscriptionView } from '../../manage/api/subscriptions/subscription-schemas.ts';
import { Csrf } from '../layout.tsx';
import type { PageContext } from '../page-context.ts';
import { subscriptionPath } from '../paths.ts';

interface UnsubscribedProps {
  readonly page: PageContext;
  readonly view: SubscriptionView;
  /** By address in lower case. */
  readonly names: ReadonlyMap<string, string>;
}

export const Unsubscribed: FC<UnsubscribedProps> = ({ page, view, names }) => (
  <section class="card">
    <h2>Unsubscribed readers</h2>
    <p class="soft">They used the link in a mail, and get none. Subscribe one again only if they ask for it.</p>
    <ul class="readers">
      {view.unsubscribed.map((address) => {
        const name = names.get(address.toLowerCase());
        return (
          <li>
            <bdi>{name === undefined ? address : `${name} <${address}>`}</bdi>
            {page.session.isReadOnly ? null : (
              <form method="post" action={subscriptionPath(view.name, 'resubscribe')}>
                <Csrf page={page} />
                <input type="hidden" name="address" value={address} />
                <button type="submit">
                  Subscribe again<span class="unseen">: {address}</span>
                </button>
              </form>
            )}
          </li>
        );
      })}
    </ul>
  </section>
);
