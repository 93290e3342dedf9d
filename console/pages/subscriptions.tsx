/** All subscriptions: state, what each asks for in words, and its receiver. Those that need attention come first. */

import type { Child, FC } from 'hono/jsx';
import { knownTypes } from '../../core/events/custom-events.ts';
import type { SubscriptionView } from '../../manage/api/subscriptions/subscription-schemas.ts';
import { listSubscriptions } from '../../manage/api/subscriptions/subscriptions.ts';
import { exportSubscriptions } from '../../manage/api/subscriptions/subscriptions-yaml.ts';
import { type DescribedSubscription, describeSubscription } from '../describe-subscription.ts';
import { Layout } from '../layout.tsx';
import type { PageContext } from '../page-context.ts';
import { Empty } from '../parts/empty.tsx';
import { noticeOf } from '../parts/notice.ts';
import { isRetrying, subscriptionState } from '../parts/state.tsx';
import { Status } from '../parts/status.tsx';
import { pathTo, subscriptionPath } from '../paths.ts';

/** More are on further pages, by name. */
const PAGE_SIZE = 200;

export async function showSubscriptions(page: PageContext): Promise<Child> {
  const { api, caller, session, url } = page;
  const after = url.searchParams.get('after') ?? '';
  const { data, next } = await listSubscriptions(api, caller, { limit: PAGE_SIZE, after });
  const sorted = data.toSorted((a, b) => orderOf(a) - orderOf(b));
  return (
    <Layout page={page} title="Subscriptions" section="subscriptions" notice={noticeOf(url)}>
      <div class="heading">
        <h1>Subscriptions</h1>
        <p class="buttons">
          {session.isReadOnly ? null : (
            <a class="button main" href={pathTo('/subscriptions/new')}>
              New subscription
            </a>
          )}
          {data.length === 0 ? null : (
            <a class="button" href={pathTo('/subscriptions/export.yaml')} download="subscriptions.yaml">
              Export as YAML
            </a>
          )}
        </p>
      </div>
      {data.length === 0 ? (
        <Empty title="No subscriptions yet">
          <p>A subscription says which events go where. Without one, events are recorded and sent to no one.</p>
          {session.isReadOnly ? null : (
            <p>
              <a class="button main" href={pathTo('/subscriptions/new')}>
                Make the first one
              </a>
            </p>
          )}
        </Empty>
      ) : (
        <ul class="rows">
          {sorted.map((view) => (
            <SubscriptionRow page={page} view={view} />
          ))}
        </ul>
      )}
      {next === null ? null : (
        <p>
          <a href={pathTo('/subscriptions', { after: next })}>More subscriptions</a>
        </p>
      )}
    </Layout>
  );
}

/** Failing ones first, then paused ones. */
function orderOf(view: SubscriptionView): number {
  return ['failing', 'disabled', 'retrying', 'paused', 'ok'].indexOf(isRetrying(view) ? 'retrying' : view.state);
}

const SubscriptionRow: FC<{ readonly page: PageContext; readonly view: SubscriptionView }> = ({ page, view }) => (
  <li id={`sub-${view.name}`}>
    <a class="row subscription" href={subscriptionPath(view.name)}>
      <Status {...subscriptionState(view)} />
      <span class="what">
        <b>
          <bdi>{view.name}</bdi>
        </b>
        <span class="place">
          <bdi>{wordsOf(page, view).sentence}</bdi>
        </span>
        {view.state === 'failing' || view.state === 'disabled' || isRetrying(view) ? (
          <span class="reason">{view.reason}</span>
        ) : null}
      </span>
      <span class="soft">{view.declared ? 'in the config' : ''}</span>
    </a>
  </li>
);

/** What it asks for, in words and as a query. */
export function wordsOf({ api }: Pick<PageContext, 'api'>, view: SubscriptionView) {
  return describeSubscription(view as DescribedSubscription, knownTypes(api.config));
}

export async function downloadAll({ api, caller }: PageContext): Promise<Response> {
  return yamlFile(await exportSubscriptions(api, caller), 'subscriptions.yaml');
}

export async function downloadOne(
  { api, caller }: PageContext,
  { name = '' }: Readonly<Record<string, string>>,
): Promise<Response> {
  return yamlFile(await exportSubscriptions(api, caller, name), `${name}.yaml`);
}

function yamlFile(text: string, file: string): Response {
  return new Response(text, {
    headers: {
      'content-type': 'application/yaml; charset=utf-8',
      'content-disposition': `attachment; filename="${file}"`,
    },
  });
}
