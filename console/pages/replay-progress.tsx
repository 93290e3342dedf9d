/**
 * A replay in steps, and how far its messages are. Each step is one request, so that thousands of events fit the time limits
 * of AWS. The pages open each other without a script, and can be reloaded: a repeated step changes nothing.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Child, FC } from 'hono/jsx';
import { parseInstant } from '../../core/model/time.ts';
import { Problem } from '../../manage/api/http/problem.ts';
import { type ReplayRun, readReplayProgress, replayStep } from '../../manage/api/subscriptions/replay-steps.ts';
import { Layout } from '../layout.tsx';
import type { PageContext } from '../page-context.ts';
import { Icon } from '../parts/icon.tsx';
import { Moment } from '../parts/moment.tsx';
import { counted } from '../parts/notice.ts';
import { pathTo, subscriptionPath } from '../paths.ts';
import type { Session } from '../session.ts';

type Params = Readonly<Record<string, string>>;

export const BackToSubscription: FC<{ readonly name: string }> = ({ name }) => (
  <p class="back">
    <a href={subscriptionPath(name)}>
      <Icon name="back" /> <bdi>{name}</bdi>
    </a>
  </p>
);

/** Where a run begins. */
export function firstStepPath({ csrf }: Pick<Session, 'csrf'>, name: string, run: ReplayRun): string {
  return stepPath(name, run, { sent: 0 }, passOf(csrf, name, run));
}

interface Position {
  readonly sent: number;
  readonly after?: string;
}

function stepPath(name: string, run: ReplayRun, { sent, after }: Position, pass: string): string {
  const { since, until, type, startedAt, count } = run;
  return pathTo(`/subscriptions/${encodeURIComponent(name)}/replay/run`, {
    since,
    until,
    type,
    startedAt,
    count: `${count}`,
    sent: `${sent}`,
    after,
    pass,
  });
}

/** Opening the address goes on with the run. Only this session can make such an address, by sending the form. */
function passOf(csrf: string, name: string, { since, until, type, startedAt, count }: ReplayRun): string {
  const text = JSON.stringify([name, since, until, type, startedAt, count]);
  return createHmac('sha256', csrf).update(text).digest('base64url');
}

/** Makes one step, shows how far the run is, and opens the next step. */
export async function showReplayStep(page: PageContext, { name = '' }: Params): Promise<Child> {
  const { api, caller, session, url } = page;
  const get = (key: string) => url.searchParams.get(key) ?? '';
  const run: ReplayRun = {
    since: get('since'),
    until: get('until'),
    type: get('type'),
    startedAt: get('startedAt'),
    count: Number(get('count')),
  };
  const pass = passOf(session.csrf, name, run);
  if (session.isReadOnly || !isSame(pass, get('pass'))) {
    throw new Problem(403, 'TIDINGS_CONSOLE_FORBIDDEN', {
      detail: 'this address belongs to another session: start the replay on the page of the subscription',
    });
  }
  const after = get('after');
  const position = { sent: Number(get('sent')), ...(after === '' ? {} : { after }) };
  const { sent, next } = await replayStep(api, caller, name, run, position);
  const following =
    next === null ? progressPath(name, run.startedAt) : stepPath(name, run, { sent, after: next }, pass);
  return (
    <Layout
      page={page}
      title={`Sending again to ${name}`}
      section="subscriptions"
      refresh={{ to: following, seconds: 0 }}
    >
      <BackToSubscription name={name} />
      <h1>
        Sending again to <bdi>{name}</bdi>
      </h1>
      <section class="card stack">
        <p class="lead" role="status">
          {sent.toLocaleString('en-GB')} of {counted(run.count, 'event')} queued
        </p>
        <progress max={Math.max(run.count, sent, 1)} value={sent} aria-label="Events that are queued" />
        <p class="soft">
          Keep this page open until all are queued. <a href={following}>Go on</a> if it does not by itself.
        </p>
      </section>
    </Layout>
  );
}

function isSame(expected: string, actual: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(actual)];
  return one.length === other.length && timingSafeEqual(one, other);
}

const progressPath = (name: string, startedAt: string) =>
  pathTo(`/subscriptions/${encodeURIComponent(name)}/replay/progress`, { startedAt });

/** How long the page waits before it looks again. */
const LOOK_AGAIN_SECONDS = 3;

/** How many of the messages of a run have been delivered. */
export async function showReplayProgress(page: PageContext, { name = '' }: Params): Promise<Child> {
  const { api, caller, url, zone } = page;
  const startedAt = parseInstant(url.searchParams.get('startedAt') ?? '');
  if (startedAt === undefined) {
    throw new Problem(404, 'TIDINGS_API_NOT_FOUND', { detail: 'the console has no such page' });
  }
  const { delivered, skipped, gathered, failed, open, more } = await readReplayProgress(api, caller, name, startedAt);
  const total = delivered + skipped + gathered + failed + open;
  const refresh = open === 0 ? undefined : { to: progressPath(name, startedAt), seconds: LOOK_AGAIN_SECONDS };
  return (
    <Layout page={page} title={`Sending again to ${name}`} section="subscriptions" refresh={refresh}>
      <BackToSubscription name={name} />
      <h1>
        {open === 0 ? 'Sent again to' : 'Sending again to'} <bdi>{name}</bdi>
      </h1>
      <section class="card stack">
        <p class="lead" role="status">
          {(total - open).toLocaleString('en-GB')} of {more ? 'more than ' : ''}
          {counted(total, 'message')} {open === 0 ? 'done' : 'so far'}
        </p>
        <progress max={Math.max(total, 1)} value={total - open} aria-label="Messages that were sent" />
        <dl class="facts">
          <dt>Started</dt>
          <dd>
            <Moment at={startedAt} zone={zone} />
          </dd>
          <dt>Delivered</dt>
          <dd>{delivered.toLocaleString('en-GB')}</dd>
          {skipped === 0 ? null : (
            <>
              <dt>Skipped: out of date, or unsubscribed</dt>
              <dd>{skipped.toLocaleString('en-GB')}</dd>
            </>
          )}
          {gathered === 0 ? null : (
            <>
              <dt>Together with others</dt>
              <dd>{gathered.toLocaleString('en-GB')}</dd>
            </>
          )}
          <dt>Waiting</dt>
          <dd>{open.toLocaleString('en-GB')}</dd>
          <dt>Failed</dt>
          <dd>
            {failed === 0 ? (
              0
            ) : (
              <a href={pathTo('/deliveries', { subscription: name, status: 'failed' })}>
                {failed.toLocaleString('en-GB')}
              </a>
            )}
          </dd>
        </dl>
        <p class="soft">
          {open === 0
            ? 'All of them are done.'
            : 'You may close this page: the messages are sent without it. It looks again every few seconds.'}
        </p>
      </section>
    </Layout>
  );
}
