/** Sends messages again since a time: first a page with their number, then a run, see replay-progress.tsx. */

import type { Child, FC } from 'hono/jsx';
import { Problem } from '../../manage/api/http/problem.ts';
import { readValue } from '../../manage/api/http/read-request.ts';
import { retryDeliveries } from '../../manage/api/retry-deliveries.ts';
import { replayForCaller } from '../../manage/api/subscriptions/replay-for-caller.ts';
import { startReplay } from '../../manage/api/subscriptions/replay-steps.ts';
import { replayInputSchema } from '../../manage/api/subscriptions/subscription-schemas.ts';
import { getSubscription } from '../../manage/api/subscriptions/subscriptions.ts';
import { Csrf, Layout } from '../layout.tsx';
import type { PageContext } from '../page-context.ts';
import { ErrorSummary, type FormErrors, NO_ERRORS, SelectField, TextField, toFormErrors } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { counted, withNotice } from '../parts/notice.ts';
import { subscriptionPath } from '../paths.ts';
import { BackToSubscription, firstStepPath } from './replay-progress.tsx';

type Params = Readonly<Record<string, string>>;
type Form = ReadonlyMap<string, string>;

interface Request {
  /** `failed`: what was not accepted; `all`: every event that matches. */
  readonly what: 'failed' | 'all';
  readonly since: string;
  readonly until?: string;
  readonly type?: string;
}

const PERIODS = [
  ['1h', 'the last hour'],
  ['24h', 'the last 24 hours'],
  ['3d', 'the last 3 days'],
  ['7d', 'the last 7 days'],
  ['30d', 'the last 30 days'],
] as const;
const DEFAULT_PERIOD = '24h';

function readRequest(get: (name: string) => string | undefined): Request {
  const [since, from, until, type] = ['since', 'from', 'until', 'type'].map((name) => (get(name) ?? '').trim());
  return {
    what: get('what') === 'all' ? 'all' : 'failed',
    since: from !== undefined && from !== '' ? from : since === undefined || since === '' ? DEFAULT_PERIOD : since,
    ...(until === undefined || until === '' ? {} : { until }),
    ...(type === undefined || type === '' ? {} : { type }),
  };
}

/** The form; with its fields in the address also the number of messages. */
export async function showReplay(page: PageContext, { name = '' }: Params): Promise<Child> {
  const { api, caller, session, url } = page;
  if (session.isReadOnly) {
    throw new Problem(403, 'TIDINGS_CONSOLE_FORBIDDEN', {
      detail: 'this session is read-only: it cannot send messages',
    });
  }
  await getSubscription(api, caller, name);
  const request = readRequest((key) => url.searchParams.get(key) ?? undefined);
  const isAsked = url.searchParams.has('what');
  const { count, errors } = isAsked
    ? await countMessages(page, name, request)
    : { count: undefined, errors: NO_ERRORS };
  return (
    <Layout page={page} title={`Send again to ${name}`} section="subscriptions">
      <BackToSubscription name={name} />
      <h1>
        Send again to <bdi>{name}</bdi>
      </h1>
      {count === undefined ? null : <Confirm page={page} name={name} request={request} count={count} />}
      <RequestForm name={name} request={request} errors={errors} />
    </Layout>
  );
}

async function countMessages(
  { api, caller }: PageContext,
  name: string,
  { what, ...request }: Request,
): Promise<{ readonly count?: number; readonly errors: FormErrors }> {
  try {
    readValue(replayInputSchema, request);
    const { count } =
      what === 'all'
        ? await replayForCaller(api, caller, name, { ...request, dryRun: true })
        : await retryDeliveries(api, caller, { subscription: name, since: request.since, dryRun: true });
    return { count, errors: NO_ERRORS };
  } catch (error) {
    if (!(error instanceof Problem) || error.errors.length === 0) throw error;
    return { errors: toFormErrors(error.errors, (pointer) => pointer.slice(1).replace('since', 'from')) };
  }
}

interface RequestFormProps {
  readonly name: string;
  readonly request: Request;
  readonly errors: FormErrors;
}

/** Another time, of a link or typed, is shown in the field for it. */
const isPeriod = ({ since }: Request) => PERIODS.some(([period]) => period === since);

const RequestForm: FC<RequestFormProps> = ({ name, request, errors }) => (
  <form class="card stack" method="get" action={subscriptionPath(name, 'replay')}>
    <ErrorSummary errors={errors} />
    <fieldset class="field">
      <legend>What</legend>
      <label class="choice">
        <input type="radio" name="what" value="failed" checked={request.what === 'failed'} />{' '}
        <span>
          <b>What failed</b> <span class="soft">messages that were given up</span>
        </span>
      </label>
      <label class="choice">
        <input type="radio" name="what" value="all" checked={request.what === 'all'} />{' '}
        <span>
          <b>Everything that matches</b> <span class="soft">recorded events, also those that were accepted</span>
        </span>
      </label>
    </fieldset>
    <SelectField
      name="since"
      label="Since"
      value={isPeriod(request) ? request.since : DEFAULT_PERIOD}
      options={PERIODS}
      errors={errors}
    />
    <TextField
      name="from"
      label="Or since this time"
      isOptional
      hint="A timestamp with its offset, or how long ago: 2026-11-14T09:00:00Z, 36h"
      value={isPeriod(request) ? '' : request.since}
      errors={errors}
    />
    <TextField
      name="until"
      label="Until"
      isOptional
      hint="Only for everything that matches. Without it: until now."
      value={request.until ?? ''}
      errors={errors}
    />
    <TextField
      name="type"
      label="Only these event types"
      isOptional
      hint="Only for everything that matches."
      placeholder="invoice.*"
      value={request.type ?? ''}
      errors={errors}
    />
    <p class="buttons">
      <button class="main" type="submit">
        Count
      </button>
    </p>
  </form>
);

interface ConfirmProps {
  readonly page: PageContext;
  readonly name: string;
  readonly request: Request;
  readonly count: number;
}

const Confirm: FC<ConfirmProps> = ({ page, name, request, count }) => {
  const { what, since, until, type } = request;
  const noun = what === 'all' ? counted(count, 'event') : counted(count, 'message');
  if (count === 0) {
    return (
      <p class="callout" role="status">
        {what === 'all' ? 'No recorded event matches.' : 'No message failed.'} Choose another time or more.
      </p>
    );
  }
  return (
    <form class="card stack" method="post" action={subscriptionPath(name, 'replay')}>
      <Csrf page={page} />
      {Object.entries({ what, since, until, type }).map(([key, value]) =>
        value === undefined ? null : <input type="hidden" name={key} value={value} />,
      )}
      <p class="lead" role="status">
        <b>{noun}</b> {count === 1 ? 'is' : 'are'} sent again{count > 10 ? ', oldest first, spread over minutes' : ''}.
      </p>
      <p class="buttons">
        <button class="main" type="submit">
          <Icon name="send" /> Send {noun} again
        </button>
        <a class="button" href={subscriptionPath(name)}>
          Cancel
        </a>
      </p>
    </form>
  );
};

export async function runReplay(page: PageContext, { name = '' }: Params, form: Form): Promise<string> {
  const { api, caller, session } = page;
  const { what, ...request } = readRequest((key) => form.get(key));
  readValue(replayInputSchema, request);
  if (what === 'failed') {
    const { count, next } = await retryDeliveries(api, caller, { subscription: name, since: request.since });
    return withNotice(subscriptionPath(name), next === null ? 'retried' : 'retried-part', count);
  }
  const run = await startReplay(api, caller, name, request);
  return firstStepPath(session, name, run);
}
