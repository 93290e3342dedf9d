/** What the first page says while all is quiet: what comes next, what failed last, what is left; or how to begin. */

import type { Child, FC } from 'hono/jsx';
import type { listSources } from '../../manage/api/sources.ts';
import type { SubscriptionView } from '../../manage/api/subscriptions/subscription-schemas.ts';
import type { DeliveryView } from '../../manage/api/view-delivery.ts';
import type { ForecastMessage } from '../../runtime/inspect/forecast-messages.ts';
import { describeProgress } from '../outcome.ts';
import type { PageContext } from '../page-context.ts';
import { deliveryPath, pathTo, subscriptionPath } from '../paths.ts';
import { Icon } from './icon.tsx';
import { nextDigestAt } from './messages-ahead.tsx';
import { Relative, ShortMoment } from './moment.tsx';

type Sources = Awaited<ReturnType<typeof listSources>>['data'];

interface GlanceProps {
  readonly page: PageContext;
  readonly sources: Sources;
  readonly subscriptions: readonly SubscriptionView[];
  /** Those ahead. @default - they are not known */
  readonly messages: readonly ForecastMessage[] | undefined;
  /** The newest failed delivery. @default - none failed */
  readonly failed?: DeliveryView;
}

export const AtAGlance: FC<GlanceProps> = ({ page, sources, subscriptions, messages, failed }) => {
  const next = findNextDigest(page, subscriptions);
  const content = messages?.find(({ subscription, at }) => subscription === next?.view.name && at === next?.at);
  return (
    <dl class="glance">
      <Fact title="Next digest">
        {next === undefined ? (
          <span class="soft">No subscription has one.</span>
        ) : (
          <>
            <ShortMoment at={next.at} zone={next.view.timeZone ?? page.zone} />:{' '}
            {content?.title ?? (messages === undefined ? 'its content is not known now' : 'nothing in it yet')}, to{' '}
            <a href={subscriptionPath(next.view.name)}>
              <bdi>{next.view.name}</bdi>
            </a>
          </>
        )}
      </Fact>
      <Fact title="Last failure">
        {failed === undefined ? (
          <span class="soft">No delivery was given up.</span>
        ) : (
          <>
            <Relative at={failed.settledAt ?? failed.createdAt} zone={page.zone} now={page.now} />, to{' '}
            <a href={deliveryPath(failed.id)}>
              <bdi>{failed.subscription}</bdi>
            </a>
            : {describeProgress(failed, page)}
          </>
        )}
      </Fact>
      <Fact title="Quota left">
        {lowestQuotas(sources).map(({ source, quota }) => (
          <span>
            {sources.length > 1 ? `${source}: ` : ''}
            {quota === null ? (
              <span class="soft">not known yet</span>
            ) : (
              `${Math.max(0, quota.limit - quota.used).toLocaleString('en')} of ${quota.limit.toLocaleString('en')} requests`
            )}{' '}
          </span>
        ))}
        {sources.length > MAX_QUOTAS ? <span class="soft">The lowest of {sources.length} sources.</span> : null}
      </Fact>
    </dl>
  );
};

const MAX_QUOTAS = 5;

/** All of few sources, and of many those with the smallest share left. */
function lowestQuotas(sources: Sources): Sources {
  if (sources.length <= MAX_QUOTAS) return sources;
  const shareLeft = ({ quota }: Sources[number]) => (quota === null ? 1 : 1 - quota.used / Math.max(1, quota.limit));
  return sources.toSorted((a, b) => shareLeft(a) - shareLeft(b)).slice(0, MAX_QUOTAS);
}

const Fact: FC<{ readonly title: string; readonly children?: Child }> = ({ title, children }) => (
  <div class="card">
    <dt>{title}</dt>
    <dd>{children}</dd>
  </div>
);

function findNextDigest(page: PageContext, subscriptions: readonly SubscriptionView[]) {
  const digests = subscriptions.flatMap((view) => {
    const at = view.active ? nextDigestAt(page, view) : undefined;
    return at === undefined ? [] : [{ view, at }];
  });
  return digests.toSorted((a, b) => (a.at < b.at ? -1 : 1))[0];
}

/** While there is no subscription. */
export const FirstSteps: FC<{ readonly page: PageContext; readonly sources: Sources }> = ({ page, sources }) => {
  const isScanned = sources.some(({ state }) => state !== 'new');
  return (
    <section class="card">
      <h2>First steps</h2>
      <ol class="steps">
        <li>
          {isScanned ? <Icon name="ok" /> : <Icon name="wait" />} The account is scanned
          <span class="soft">{isScanned ? '.' : ': this happens by itself. Below is when.'}</span>
        </li>
        <li>
          <Icon name="none" />{' '}
          {page.session.isReadOnly ? (
            'An operator makes the first subscription.'
          ) : (
            <a href={pathTo('/subscriptions/new')}>Make the first subscription</a>
          )}{' '}
          <span class="soft">It says which events go where: chat, mail, or an endpoint of yours.</span>
        </li>
        <li>
          <Icon name="none" /> Send a test message <span class="soft">from the page of the subscription.</span>
        </li>
        <li>
          <Icon name="none" /> Change something in the account{' '}
          <span class="soft">
            and see its event under <a href={pathTo('/events')}>Events</a>.
          </span>
        </li>
      </ol>
    </section>
  );
};
