/** The keys of the management API: list, make, remove. A token is shown once, in the response that makes it. */

import { createHash } from 'node:crypto';
import type { Child, FC } from 'hono/jsx';
import { SCOPES, type Scope } from '../../core/model/api-key.ts';
import { Problem } from '../../manage/api/http/problem.ts';
import { readValue } from '../../manage/api/http/read-request.ts';
import { keyInputSchema } from '../../manage/api/http/schemas.ts';
import { createKey, listKeys, removeKey, removeSubscriptionsOf } from '../../manage/api/keys.ts';
import { Csrf, Layout } from '../layout.tsx';
import type { PageContext, ShownPage } from '../page-context.ts';
import { Empty } from '../parts/empty.tsx';
import { ErrorSummary, type FormErrors, NO_ERRORS, TextField, toFormErrors } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { Moment, Relative } from '../parts/moment.tsx';
import { counted, noticeOf, withNotice } from '../parts/notice.ts';
import { SecretOnce } from '../parts/secret-once.tsx';
import { pathTo } from '../paths.ts';

type Form = ReadonlyMap<string, string>;
type KeyView = Awaited<ReturnType<typeof listKeys>>['data'][number];

const EMPTY: Form = new Map();

export async function showKeys(page: PageContext): Promise<Child> {
  return keysPage(page, EMPTY, NO_ERRORS);
}

async function keysPage(page: PageContext, form: Form, errors: FormErrors): Promise<Child> {
  const { data } = await listKeys(page.api);
  return (
    <Layout page={page} title="Keys" section="keys" notice={noticeOf(page.url)}>
      <h1>Keys</h1>
      <p class="lead">Programs use a key to call the management API. People use the console.</p>
      {data.length === 0 ? (
        <Empty title="No keys">
          <p>
            {page.session.isReadOnly
              ? 'No program can call the management API.'
              : 'Make one below for a program that subscribes or reads.'}
          </p>
        </Empty>
      ) : (
        <ul class="rows">
          {data.map((key) => (
            <KeyRow page={page} item={key} />
          ))}
        </ul>
      )}
      {page.session.isReadOnly ? null : <KeyForm page={page} form={form} errors={errors} state={stateOf(data)} />}
    </Layout>
  );
}

const KeyRow: FC<{ readonly page: PageContext; readonly item: KeyView }> = ({ page, item }) => {
  const { id, name, scopes, events, lastUsedAt, expiresAt, createdAt, createdBy, quotas, subscriptions } = item;
  const { zone, now } = page;
  const isExpired = expiresAt !== null && expiresAt <= now;
  return (
    <li class="key-row">
      <div>
        <p>
          <b>
            <bdi>{name}</bdi>
          </b>{' '}
          {scopes.map((scope) => (
            <span class="tag">{scope}</span>
          ))}
          {isExpired ? <span class="tag">expired</span> : null}
        </p>
        <p class="soft">
          <code>{id}</code> · made by <bdi>{createdBy}</bdi> <Moment at={createdAt} zone={zone} /> ·{' '}
          {lastUsedAt === null ? (
            'never used'
          ) : (
            <>
              last used <Relative at={lastUsedAt} zone={zone} now={now} />
            </>
          )}
          {expiresAt === null ? null : (
            <>
              {' '}
              · {isExpired ? 'expired' : 'expires'} <Moment at={expiresAt} zone={zone} />
            </>
          )}
          {subscriptions === 0 ? null : ` · ${counted(subscriptions, 'subscription')}`}
          {events === null ? null : ` · only ${events.join(', ')}`}
          {quotas === null
            ? null
            : ` · quotas: ${Object.entries(quotas)
                .map((pair) => pair.join(' '))
                .join(', ')}`}
        </p>
      </div>
      {page.session.isReadOnly ? null : (
        <details class="confirm">
          <summary aria-label={`Remove the key ${name}`}>Remove…</summary>
          <form method="post" action={pathTo(`/keys/${encodeURIComponent(id)}/remove`)}>
            <Csrf page={page} />
            <p>Programs with this key are refused at once.</p>
            {subscriptions === 0 ? null : (
              <p>
                <label class="choice">
                  <input type="checkbox" name="subscriptions" value="remove" />{' '}
                  <span>
                    Also delete the {counted(subscriptions, 'subscription')} that it made. Otherwise{' '}
                    {subscriptions === 1 ? 'it goes' : 'they go'} on sending.
                  </span>
                </label>
              </p>
            )}
            <button class="danger" type="submit">
              Remove this key
            </button>
          </form>
        </details>
      )}
    </li>
  );
};

const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  read: 'read events, records, subscriptions and sources',
  subscribe: 'make and manage its own subscriptions',
  operate: 'both, for all subscriptions, and retries, replays and scans',
  admin: 'everything, keys included',
};

interface KeyFormProps {
  readonly page: PageContext;
  readonly form: Form;
  readonly errors: FormErrors;
  readonly state: string;
}

const KeyForm: FC<KeyFormProps> = ({ page, form, errors, state }) => {
  const chosen = (form.get('scopes') ?? 'read').split('\n');
  return (
    <form class="card stack" method="post" action={pathTo('/keys')}>
      <h2>New key</h2>
      <ErrorSummary errors={errors} />
      <Csrf page={page} />
      <input type="hidden" name="state" value={state} />
      <TextField
        name="name"
        label="Name"
        hint="The program that uses it."
        value={form.get('name') ?? ''}
        placeholder="billing"
        errors={errors}
      />
      <fieldset id="f-scopes" class={errors.has('scopes') ? 'field is-wrong' : 'field'}>
        <legend>It may</legend>
        {errors.has('scopes') ? (
          <p class="wrong">
            <Icon name="late" /> {errors.get('scopes')?.join(' ')}
          </p>
        ) : null}
        {SCOPES.map((scope) => (
          <label class="choice">
            <input type="checkbox" name="scopes" value={scope} checked={chosen.includes(scope)} />{' '}
            <span>
              <b>{scope}</b> <span class="soft">{SCOPE_WORDS[scope]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <TextField
        name="events"
        label="Only these event types"
        isOptional
        hint="Separated by spaces. The key then sees these types, its own subscriptions and, with operate, those of others within these types."
        value={form.get('events') ?? ''}
        placeholder="invoice.*"
        errors={errors}
      />
      <TextField
        name="expiresAt"
        label="Last day"
        isOptional
        hint="It is refused from the next day on."
        type="date"
        value={form.get('expiresAt') ?? ''}
        errors={errors}
      />
      <p class="buttons">
        <button class="main" type="submit">
          Make the key
        </button>
      </p>
    </form>
  );
};

export async function addKey(page: PageContext, _params: unknown, form: Form): Promise<Child | ShownPage> {
  const { data } = await listKeys(page.api);
  // Reloading the page with the token would make another key.
  if (form.get('state') !== stateOf(data)) {
    throw new Problem(409, 'TIDINGS_API_CHANGED', {
      detail:
        'the keys have changed since this form was opened: open Keys again, and make the key if it is still missing',
    });
  }
  try {
    const key = await createKey(page.api, page.caller, readValue(keyInputSchema, bodyOf(form)));
    return (
      <Layout page={page} title="New key" section="keys">
        <h1>
          Key <bdi>{key.name}</bdi>
        </h1>
        <SecretOnce
          label="Token"
          secret={key.token}
          hint="Give it to the program, the command line for example as TIDINGS_API_KEY. It is not stored and cannot be shown again."
          next={pathTo('/keys')}
        />
      </Layout>
    );
  } catch (error) {
    if (!(error instanceof Problem) || error.errors.length === 0) throw error;
    const errors = toFormErrors(error.errors, (pointer) => pointer.split('/')[1] ?? '');
    return { page: await keysPage(page, form, errors), status: error.status };
  }
}

/** A date ends at the start of the next day, in UTC. */
function bodyOf(form: Form): unknown {
  const events = (form.get('events') ?? '').split(/[\s,]+/).filter((glob) => glob !== '');
  const last = form.get('expiresAt') ?? '';
  const day = Date.parse(`${last}T00:00:00Z`);
  const expiresAt = Number.isNaN(day) ? last : new Date(day + 86_400_000).toISOString();
  return {
    name: (form.get('name') ?? '').trim(),
    scopes: (form.get('scopes') ?? '').split('\n').filter((scope) => scope !== ''),
    ...(events.length === 0 ? {} : { events }),
    ...(last === '' ? {} : { expiresAt }),
  };
}

export async function dropKey(
  page: PageContext,
  { id = '' }: Readonly<Record<string, string>>,
  form: Form,
): Promise<string> {
  await removeKey(page.api, page.caller, id);
  if (form.get('subscriptions') !== 'remove') return withNotice(pathTo('/keys'), 'key-removed');
  const removed = await removeSubscriptionsOf(page.api, page.caller, id);
  return withNotice(pathTo('/keys'), 'key-removed-whole', removed.length);
}

/** Changes with every key that is made or removed. */
function stateOf(keys: readonly KeyView[]): string {
  return createHash('sha256')
    .update(keys.map(({ id }) => id).join(' '))
    .digest('hex')
    .slice(0, 16);
}
