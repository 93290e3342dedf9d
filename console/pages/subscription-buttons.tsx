/** The actions of a subscription's page: pause, resume, test, rotate and delete. */

import type { Child } from 'hono/jsx';
import { Problem } from '../../manage/api/http/problem.ts';
import { pauseForCaller, rotateForCaller, testForCaller } from '../../manage/api/subscriptions/subscription-actions.ts';
import { deleteSubscription, getSubscription } from '../../manage/api/subscriptions/subscriptions.ts';
import { resubscribeReader } from '../../manage/api/subscriptions/unsubscribed-readers.ts';
import { Layout } from '../layout.tsx';
import type { PageContext } from '../page-context.ts';
import { formatInstant } from '../parts/moment.tsx';
import { withNotice } from '../parts/notice.ts';
import { SecretOnce } from '../parts/secret-once.tsx';
import { deliveryPath, pathTo, subscriptionPath } from '../paths.ts';

type Params = Readonly<Record<string, string>>;
type Form = ReadonlyMap<string, string>;

export async function pauseOne({ api, caller }: PageContext, { name = '' }: Params): Promise<string> {
  await pauseForCaller(api, caller, name, false);
  return withNotice(subscriptionPath(name), 'paused');
}

export async function resumeOne({ api, caller }: PageContext, { name = '' }: Params): Promise<string> {
  await pauseForCaller(api, caller, name, true);
  return withNotice(subscriptionPath(name), 'resumed');
}

/** Ends at the delivery, whose attempt shows the response. */
export async function testOne({ api, caller }: PageContext, { name = '' }: Params): Promise<string> {
  const { delivery, attempted } = await testForCaller(api, caller, name, {});
  const isAccepted = delivery.status === 'settled' && delivery.skipped === null;
  const result = delivery.skipped === null ? (isAccepted ? 'tested' : 'test-failed') : 'test-skipped';
  return withNotice(deliveryPath(delivery.id), attempted ? result : 'test-waiting');
}

export async function resubscribeOne({ api, caller }: PageContext, { name = '' }: Params, form: Form): Promise<string> {
  await resubscribeReader(api, caller, name, form.get('address') ?? '');
  return withNotice(subscriptionPath(name), 'resubscribed');
}

export async function rotateOne(page: PageContext, { name = '' }: Params, form: Form): Promise<Child> {
  const { api, caller } = page;
  // Reloading the page with the secret would replace it once more.
  if ((await getSubscription(api, caller, name)).etag !== form.get('etag')) throw changedSince(name);
  const { secret, bothSecretsUntil } = await rotateForCaller(api, caller, name);
  const until = formatInstant(bothSecretsUntil, page.zone, 'moment');
  return (
    <Layout page={page} title={`New secret of ${name}`} section="subscriptions">
      <h1>
        New secret of <bdi>{name}</bdi>
      </h1>
      <SecretOnce
        label="Signing secret"
        secret={secret}
        hint={`Give it to the receiver. Until ${until}, every request carries the signatures of both secrets.`}
        next={subscriptionPath(name)}
      />
    </Layout>
  );
}

export async function removeOne({ api, caller }: PageContext, { name = '' }: Params, form: Form): Promise<string> {
  await deleteSubscription(api, caller, name, form.get('etag') ?? '');
  return withNotice(pathTo('/subscriptions'), 'removed');
}

function changedSince(name: string): Problem {
  return new Problem(412, 'TIDINGS_API_CHANGED', {
    detail: `subscription '${name}' has changed since this form was opened: open it again and repeat the change`,
  });
}
