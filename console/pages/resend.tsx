/**
 * Sends an event again to the reader of one row. If more than one person or address would get it, a page says who and asks
 * first. A form that is sent twice, or after the process ended in between, sends one message: it names its request.
 */

import type { Child, FC } from 'hono/jsx';
import { sayReader } from '../../core/delivery/describe-reader.ts';
import { retryDelivery } from '../../manage/api/deliveries.ts';
import { getEvent } from '../../manage/api/events.ts';
import { Problem } from '../../manage/api/http/problem.ts';
import { listReaders } from '../../manage/api/subscriptions/list-readers.ts';
import { replayForCaller } from '../../manage/api/subscriptions/replay-for-caller.ts';
import type { DeliveryView } from '../../manage/api/view-delivery.ts';
import { Csrf, Layout } from '../layout.tsx';
import type { PageContext } from '../page-context.ts';
import { Icon } from '../parts/icon.tsx';
import { counted } from '../parts/notice.ts';
import { Sentence } from '../parts/sentence.tsx';
import { eventPath } from '../paths.ts';

type Form = ReadonlyMap<string, string>;

export async function resendEvent(
  page: PageContext,
  { id = '' }: Readonly<Record<string, string>>,
  form: Form,
): Promise<string | Child> {
  const { api, caller } = page;
  const name = form.get('subscription') ?? '';
  const explained = await getEvent(api, caller, id);
  const row = form.get('delivery') ?? '';
  const own = explained.deliveries.filter(({ subscription }) => subscription === name);
  // A form that was opened before there was a delivery tries the one that there is now.
  const isMeant = (one: DeliveryView) => (row === '' ? one.person === undefined && isTried(one) : one.id === row);
  const delivery = own.find(isMeant);
  if (row !== '' && delivery === undefined) {
    throw new Problem(404, 'TIDINGS_API_NOT_FOUND', { detail: `event '${id}' has no delivery '${row}' to '${name}'` });
  }
  if (delivery !== undefined && isTried(delivery)) {
    await retryDelivery(api, caller, delivery.id).catch(ignoreFinished);
    return `${eventPath(id)}?done=resent`;
  }
  const person = delivery?.person;
  const readers = person === undefined ? await listReaders(api, caller, name, id) : [];
  if (readers.length > 1 && form.get('confirmed') !== 'yes') {
    return (
      <Confirm
        page={page}
        readers={readers.map((one) => (typeof one === 'string' ? one : sayReader(one)))}
        form={form}
        id={id}
      >
        <Sentence event={explained.event} />
      </Confirm>
    );
  }
  const what = person === undefined ? { event: id } : { event: id, person };
  await replayForCaller(api, caller, name, what, readRequest(form));
  return `${eventPath(id)}?done=resent`;
}

const isTried = ({ status }: DeliveryView) => status === 'failed' || status === 'pending';

/** Undefined for a form of an earlier version. */
function readRequest(form: Form): string | undefined {
  const request = form.get('request') ?? '';
  return /^[0-9a-f]{8,64}$/.test(request) ? `console ${request}` : undefined;
}

/** Another attempt succeeded in the meantime. */
function ignoreFinished(error: unknown): void {
  if (!(error instanceof Problem && error.status === 409)) throw error;
}

interface ConfirmProps {
  readonly page: PageContext;
  readonly readers: readonly string[];
  readonly form: Form;
  readonly id: string;
  readonly children?: Child;
}

const KEPT_FIELDS = ['subscription', 'delivery', 'request'];

const Confirm: FC<ConfirmProps> = ({ page, readers, form, id, children }) => {
  const title = `Send it to ${counted(readers.length, 'reader')}?`;
  return (
    <Layout page={page} title={title} section="events">
      <h1>{title}</h1>
      <p class="lead">{children}</p>
      <p>
        Each of them gets the message once more from <bdi>{form.get('subscription')}</bdi>:
      </p>
      <ul>
        {readers.map((reader) => (
          <li>
            <bdi>{reader}</bdi>
          </li>
        ))}
      </ul>
      <form class="buttons" method="post" action={`${eventPath(id)}/resend`}>
        <Csrf page={page} />
        {KEPT_FIELDS.map((field) => (
          <input type="hidden" name={field} value={form.get(field) ?? ''} />
        ))}
        <input type="hidden" name="confirmed" value="yes" />
        <button class="main" type="submit">
          <Icon name="send" /> Send to {counted(readers.length, 'reader')}
        </button>
        <a class="button" href={eventPath(id)}>
          Cancel
        </a>
      </form>
    </Layout>
  );
};
