/** One subscription: its state, what it asks for, its latest attempts and deliveries, and what can be done with it. */

import type { Child, FC } from 'hono/jsx';
import { listDeliveries } from '../../manage/api/deliveries.ts';
import { previewSubscription, signsMessages } from '../../manage/api/subscriptions/subscription-actions.ts';
import type { SubscriptionView } from '../../manage/api/subscriptions/subscription-schemas.ts';
import { getSubscription } from '../../manage/api/subscriptions/subscriptions.ts';
import { exportSubscriptions } from '../../manage/api/subscriptions/subscriptions-yaml.ts';
import { findNamesOf } from '../../manage/api/subscriptions/unsubscribed-readers.ts';
import type { DeliveryView } from '../../manage/api/view-delivery.ts';
import { describeOrigin } from '../describe-origin.ts';
import { Csrf, Layout } from '../layout.tsx';
import type { PageContext } from '../page-context.ts';
import { AttemptStrip, type StripAttempt } from '../parts/attempts.tsx';
import { DeliveryList, findFirstEvents } from '../parts/delivery-list.tsx';
import { Icon } from '../parts/icon.tsx';
import { SubscriptionAhead } from '../parts/messages-ahead.tsx';
import { Moment } from '../parts/moment.tsx';
import { noticeOf } from '../parts/notice.ts';
import { isRetrying, subscriptionState } from '../parts/state.tsx';
import { Status } from '../parts/status.tsx';
import { Unsubscribed } from '../parts/unsubscribed.tsx';
import { pathTo, subscriptionPath } from '../paths.ts';
import { wordsOf } from './subscriptions.tsx';

/** Attempts in the strip, and the deliveries that are read for them. */
const STRIP_ATTEMPTS = 50;
const LISTED_DELIVERIES = 10;

type Params = Readonly<Record<string, string>>;

export async function showSubscription(page: PageContext, { name = '' }: Params): Promise<Child> {
  const { api, caller, session } = page;
  const { view, etag } = await getSubscription(api, caller, name);
  const { data } = await listDeliveries(api, caller, name, { limit: STRIP_ATTEMPTS });
  const latest = data.slice(0, LISTED_DELIVERIES);
  const { sentence, query } = wordsOf(page, view);
  const { messages: ahead } = await previewSubscription(api, caller, name, {});
  const yaml = await exportSubscriptions(api, caller, name);
  return (
    <Layout page={page} title={name} section="subscriptions" notice={noticeOf(page.url)}>
      <p class="back">
        <a href={pathTo('/subscriptions')}>
          <Icon name="back" /> Subscriptions
        </a>
      </p>
      <div class="heading">
        <h1>
          <bdi>{name}</bdi>
        </h1>
        <Status {...subscriptionState(view)} />
      </div>
      <p class="lead">
        <bdi>{sentence}</bdi>
      </p>
      {query === undefined ? null : (
        <p>
          <code class="query">{query}</code>
        </p>
      )}
      <Trouble page={page} view={view} />
      {session.isReadOnly ? null : <Actions page={page} view={view} />}
      {view.unsubscribed.length === 0 ? null : (
        <Unsubscribed page={page} view={view} names={await findNamesOf(api, caller, view.unsubscribed)} />
      )}
      <section class="card">
        <h2>The next 24 hours, if nothing changes</h2>
        <SubscriptionAhead page={page} view={view} messages={ahead} />
      </section>
      <section class="card">
        <h2>Latest attempts</h2>
        <AttemptStrip attempts={attemptsOf(data)} />
      </section>
      <section>
        <h2>Deliveries</h2>
        {latest.length === 0 ? (
          <p class="soft">None yet. The next event that matches is sent, or send a test message.</p>
        ) : (
          <>
            <DeliveryList
              page={page}
              deliveries={latest}
              events={await findFirstEvents(page, latest)}
              hidesSubscription
            />
            <p>
              <a href={pathTo('/deliveries', { subscription: name })}>All deliveries</a> ·{' '}
              <a href={pathTo('/deliveries', { subscription: name, status: 'failed' })}>Failed ones</a>
            </p>
          </>
        )}
      </section>
      <Facts page={page} view={view} origin={await describeOrigin(page, view)} />
      <section class="card">
        <h2>{view.declared ? 'Declared in the config' : 'As YAML'}</h2>
        <p class="soft">
          {view.declared
            ? 'It comes from the config of this installation and is read-only here. To change it, change these lines there.'
            : 'The same subscription for the config of an installation. Secrets are not part of it.'}
        </p>
        <pre id="yaml" tabindex={0}>
          {yaml}
        </pre>
        <p class="buttons">
          <button class="only-script" type="button" data-copy="yaml">
            Copy
          </button>
          <a class="button" href={subscriptionPath(name, 'export.yaml')} download={`${name}.yaml`}>
            Export as YAML
          </a>
        </p>
      </section>
      {session.isReadOnly || view.declared ? null : <Danger page={page} view={view} etag={etag} />}
    </Layout>
  );
}

/** Oldest first. */
function attemptsOf(deliveries: readonly DeliveryView[]): readonly StripAttempt[] {
  return deliveries
    .flatMap(({ attempts, mark }) => attempts.map((attempt) => ({ ...attempt, isTest: mark === 'test' })))
    .toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
    .slice(-STRIP_ATTEMPTS);
}

interface ViewProps {
  readonly page: PageContext;
  readonly view: SubscriptionView;
}

/** Why nothing is sent, and what to do. */
const Trouble: FC<ViewProps> = ({ page, view }) => {
  const { state, reason, pausedUntil, failingSince } = view;
  if (state === 'ok' && !isRetrying(view)) return null;
  return (
    <div class="callout">
      {isRetrying(view) && failingSince !== null ? (
        <p>
          Every attempt since <Moment at={failingSince} zone={page.zone} /> failed. They are repeated by themselves.
        </p>
      ) : null}
      {state === 'paused' ? <p>A person paused it. Deliveries are held until it is resumed.</p> : null}
      {state === 'failing' ? <p>The receiver does not accept messages. They are tried again for days.</p> : null}
      {state === 'disabled' ? (
        <p>The receiver did not accept messages for days, or is gone. Fix it, then resume the subscription.</p>
      ) : null}
      {reason === null ? null : (
        <p>
          Last error: <b>{reason}</b>
        </p>
      )}
      {pausedUntil === null ? null : (
        <p>
          Next attempts after <Moment at={pausedUntil} zone={page.zone} />.
        </p>
      )}
    </div>
  );
};

const Actions: FC<ViewProps> = ({ page, view }) => (
  <div class="buttons">
    <PostButton page={page} path={subscriptionPath(view.name, view.active ? 'pause' : 'resume')} isMain={!view.active}>
      <Icon name={view.active ? 'held' : 'send'} /> {view.active ? 'Pause' : 'Resume'}
    </PostButton>
    {view.state === 'failing' ? (
      <PostButton page={page} path={subscriptionPath(view.name, 'resume')}>
        <Icon name="send" /> Try now
      </PostButton>
    ) : null}
    <PostButton page={page} path={subscriptionPath(view.name, 'test')}>
      <Icon name="open" /> Send a test message
    </PostButton>
    {view.declared ? null : (
      <a class="button" href={subscriptionPath(view.name, 'edit')}>
        Edit
      </a>
    )}
    <a class="button" href={subscriptionPath(view.name, 'replay')}>
      Send again since…
    </a>
  </div>
);

interface PostButtonProps {
  readonly page: PageContext;
  readonly path: string;
  readonly isMain?: boolean;
  readonly children?: Child;
}

const PostButton: FC<PostButtonProps> = ({ page, path, isMain = false, children }) => (
  <form method="post" action={path}>
    <Csrf page={page} />
    <button class={isMain ? 'main' : undefined} type="submit">
      {children}
    </button>
  </form>
);

const Facts: FC<ViewProps & { readonly origin: string }> = ({ page: { zone }, view, origin }) => (
  <section class="card">
    <h2>Settings</h2>
    <dl class="facts">
      <dt>Receiver</dt>
      <dd>
        <bdi>{view.url ?? view.address}</bdi> <span class="tag">{Object.keys(view.to)[0]}</span>
      </dd>
      <dt>Event types</dt>
      <dd>
        {view.events.map((glob) => (
          <>
            <code>{glob}</code>{' '}
          </>
        ))}
      </dd>
      {view.where === undefined ? null : (
        <>
          <dt>Filter</dt>
          <dd>
            <pre tabindex={0}>{JSON.stringify(view.where, undefined, 2)}</pre>
          </dd>
        </>
      )}
      {view.timeZone === undefined ? null : (
        <>
          <dt>Time zone</dt>
          <dd>{view.timeZone}</dd>
        </>
      )}
      {view.rate === undefined ? null : (
        <>
          <dt>Maximum rate</dt>
          <dd>{view.rate}</dd>
        </>
      )}
      {view.createdAt === null ? null : (
        <>
          <dt>Made</dt>
          <dd>
            <Moment at={view.createdAt} zone={zone} />
            <span class="soft"> {origin}</span>
          </dd>
        </>
      )}
      {view.expiresAt === null ? null : (
        <>
          <dt>Ends</dt>
          <dd>
            <Moment at={view.expiresAt} zone={zone} />
          </dd>
        </>
      )}
      {view.bothSecretsUntil === null ? null : (
        <>
          <dt>Both secrets sign until</dt>
          <dd>
            <Moment at={view.bothSecretsUntil} zone={zone} />
          </dd>
        </>
      )}
    </dl>
  </section>
);

/** What cannot be undone. The tag of the form is compared, so that a form that was left open changes nothing unexpected. */
const Danger: FC<ViewProps & { readonly etag: string }> = ({ page, view, etag }) => (
  <section class="danger-zone">
    {signsMessages(view) ? (
      <details class="confirm">
        <summary>Replace the signing secret…</summary>
        <form method="post" action={subscriptionPath(view.name, 'rotate')}>
          <Csrf page={page} />
          <input type="hidden" name="etag" value={etag} />
          <p>The new secret is shown once. For 24 hours every request carries the signatures of both secrets.</p>
          <button type="submit">Replace the secret</button>
        </form>
      </details>
    ) : null}
    <details class="confirm">
      <summary>Delete this subscription…</summary>
      <form method="post" action={subscriptionPath(view.name, 'remove')}>
        <Csrf page={page} />
        <input type="hidden" name="etag" value={etag} />
        <p>It gets no more messages, and those that were not sent yet are dropped. Its history stays.</p>
        <button class="danger" type="submit">
          Delete <bdi>{view.name}</bdi>
        </button>
      </form>
    </details>
  </section>
);
