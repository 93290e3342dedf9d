/** The form of a button that sends an event to one receiver. */

import type { FC } from 'hono/jsx';
import { Csrf } from '../layout.tsx';
import type { PageContext } from '../page-context.ts';
import { eventPath } from '../paths.ts';
import { Icon } from './icon.tsx';

interface ResendFormProps {
  readonly page: PageContext;
  readonly event: string;
  readonly subscription: string;
  /** The delivery of the row: only its reader gets the event. @default - it was not sent yet */
  readonly delivery?: string;
  /** Who gets it. */
  readonly reader: string;
  readonly label: string;
}

/** Nothing in a read-only session. A form that is sent twice sends one message: it names the request. */
export const ResendForm: FC<ResendFormProps> = ({ page, event, subscription, delivery, reader, label }) =>
  page.session.isReadOnly ? null : (
    <form method="post" action={`${eventPath(event)}/resend`}>
      <Csrf page={page} />
      <input type="hidden" name="subscription" value={subscription} />
      <input type="hidden" name="request" value={newRequestId(page)} />
      {delivery === undefined ? null : <input type="hidden" name="delivery" value={delivery} />}
      <button type="submit">
        <Icon name="send" /> {label}
        <span class="unseen"> to {reader}</span>
      </button>
    </form>
  );

function newRequestId({ api }: PageContext): string {
  return Buffer.from(api.randomBytes(12)).toString('hex');
}
