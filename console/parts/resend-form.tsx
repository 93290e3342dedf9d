/** The form of a button that sends an event to one subscription. */

import type { FC } from 'hono/jsx';
import { Csrf } from '../layout.tsx';
import type { PageContext } from '../page-context.ts';
import { eventPath } from '../paths.ts';
import { Icon } from './icon.tsx';

interface ResendFormProps {
  readonly page: PageContext;
  readonly event: string;
  readonly subscription: string;
  readonly label: string;
}

/** Nothing in a read-only session. */
export const ResendForm: FC<ResendFormProps> = ({ page, event, subscription, label }) =>
  page.session.isReadOnly ? null : (
    <form method="post" action={`${eventPath(event)}/resend`}>
      <Csrf page={page} />
      <input type="hidden" name="subscription" value={subscription} />
      <button type="submit">
        <Icon name="send" /> {label}
        <span class="unseen"> to {subscription}</span>
      </button>
    </form>
  );
