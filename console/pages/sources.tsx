/** The sources: list, add and change after a check, remove. Those of the config are shown only: they are changed there. */

import type { Child, FC } from 'hono/jsx';
import { Problem } from '../../manage/api/http/problem.ts';
import { readValue } from '../../manage/api/http/read-request.ts';
import { sourceInputSchema, sourcePatchSchema } from '../../manage/api/source-routes.ts';
import {
  addSource,
  changeSource,
  getSourceSettings,
  removeSource,
  sourcePortsOf,
} from '../../manage/api/source-settings.ts';
import { Csrf, Layout } from '../layout.tsx';
import type { PageContext } from '../page-context.ts';
import { Empty } from '../parts/empty.tsx';
import { ErrorSummary, type FormErrors, NO_ERRORS, TextField, toFormErrors } from '../parts/field.tsx';
import { noticeOf, withNotice } from '../parts/notice.ts';
import { pathTo } from '../paths.ts';
import type { ShownPage } from '../routes.tsx';

type Form = ReadonlyMap<string, string>;

const EMPTY: Form = new Map();

export async function showSources(page: PageContext): Promise<Child> {
  return sourcesPage(page, EMPTY, NO_ERRORS);
}

async function sourcesPage(page: PageContext, form: Form, errors: FormErrors): Promise<Child> {
  const { sources } = page.api.config;
  return (
    <Layout page={page} title="Sources" section="sources" notice={noticeOf(page.url)}>
      <h1>Sources</h1>
      <p class="lead">The accounts that are polled. Those of the config are changed there.</p>
      {sources.length === 0 ? (
        <Empty title="No sources">
          <p>{page.session.isReadOnly ? 'Nothing is polled.' : 'Add an account below.'}</p>
        </Empty>
      ) : (
        <ul class="rows">
          {sources.map(({ name, kind, baseUrl, stored }) => (
            <SourceRow page={page} name={name} kind={kind} baseUrl={baseUrl} isStored={stored !== undefined} />
          ))}
        </ul>
      )}
      {page.session.isReadOnly ? null : <SourceForm page={page} form={form} errors={errors} />}
    </Layout>
  );
}

interface SourceRowProps {
  readonly page: PageContext;
  readonly name: string;
  readonly kind: string;
  readonly baseUrl: string;
  readonly isStored: boolean;
}

const SourceRow: FC<SourceRowProps> = ({ page, name, kind, baseUrl, isStored }) => (
  <li class="key-row">
    <div>
      <p>
        <b>
          <bdi>{name}</bdi>
        </b>{' '}
        <span class="tag">{kind}</span> {isStored ? null : <span class="tag">config</span>}
      </p>
      <p class="soft">
        <bdi>{baseUrl}</bdi>
      </p>
    </div>
    {page.session.isReadOnly || !isStored ? null : (
      <div class="buttons">
        <a
          class="button"
          href={pathTo(`/sources/${encodeURIComponent(name)}`)}
          aria-label={`Change the source ${name}`}
        >
          Change
        </a>
        <details class="confirm">
          <summary aria-label={`Remove the source ${name}`}>Remove…</summary>
          <form method="post" action={pathTo(`/sources/${encodeURIComponent(name)}/remove`)}>
            <Csrf page={page} />
            <p>It is not polled any more. Its records, events and deliveries stay.</p>
            <button class="danger" type="submit">
              Remove this source
            </button>
          </form>
        </details>
      </div>
    )}
  </li>
);

interface SourceFormProps {
  readonly page: PageContext;
  readonly form: Form;
  readonly errors: FormErrors;
  /** The source to change. @default - a new one */
  readonly source?: string;
}

const TOKEN_HINT = 'Tidings sees what the user of this token sees. It is stored encrypted and not shown again.';

const SourceForm: FC<SourceFormProps> = ({ page, form, errors, source }) => (
  <form
    class="card stack"
    method="post"
    action={pathTo(source === undefined ? '/sources' : `/sources/${encodeURIComponent(source)}`)}
  >
    {source === undefined ? <h2>New source</h2> : null}
    <ErrorSummary errors={errors} />
    <Csrf page={page} />
    {source === undefined ? (
      <TextField
        name="name"
        label="Name"
        hint="The name of the account in every event."
        value={form.get('name') ?? ''}
        placeholder="north"
        errors={errors}
      />
    ) : null}
    <TextField
      name="baseUrl"
      label="Base URL of the API"
      value={form.get('baseUrl') ?? ''}
      placeholder="https://work.example.com/api"
      errors={errors}
    />
    <TextField
      name="token"
      label="API token"
      isOptional={source !== undefined}
      hint={
        source === undefined ? TOKEN_HINT : `Empty: the stored one stays. A new address needs a token. ${TOKEN_HINT}`
      }
      type="password"
      value=""
      errors={errors}
    />
    <TextField
      name="timeZone"
      label="Time zone"
      isOptional
      hint="Default: the zone of the token's user."
      value={form.get('timeZone') ?? ''}
      placeholder="Europe/Berlin"
      errors={errors}
    />
    <p class="buttons">
      <button class="main" type="submit">
        {source === undefined ? 'Check and add the source' : 'Check and save the changes'}
      </button>
    </p>
  </form>
);

/** The check takes some seconds. What it finds is shown beside the field that is to blame. */
export async function addSourceInForm(page: PageContext, _params: unknown, form: Form): Promise<string | ShownPage> {
  try {
    const { token, ...settings } = readValue(sourceInputSchema, bodyOf(form));
    await addSource(sourcePortsOf(page.api), page.caller, settings, { value: token });
    return withNotice(pathTo('/sources'), 'source-added');
  } catch (error) {
    return { page: await sourcesPage(page, form, formErrorsOf(error)), status: statusOf(error) };
  }
}

type Params = Readonly<Record<string, string>>;

export async function showSource(page: PageContext, { name = '' }: Params): Promise<Child> {
  const { view } = await getSourceSettings(page.api, name);
  const form = new Map(Object.entries(view.settings).map(([key, value]) => [key, String(value)]));
  return changePage(page, name, form, NO_ERRORS);
}

function changePage(page: PageContext, name: string, form: Form, errors: FormErrors): Child {
  return (
    <Layout page={page} title={`Source ${name}`} section="sources" notice={noticeOf(page.url)}>
      <h1>
        Source <bdi>{name}</bdi>
      </h1>
      {page.session.isReadOnly ? (
        <p class="lead">
          <bdi>{form.get('baseUrl') ?? ''}</bdi>
        </p>
      ) : (
        <SourceForm page={page} form={form} errors={errors} source={name} />
      )}
    </Layout>
  );
}

export async function changeSourceInForm(
  page: PageContext,
  { name = '' }: Params,
  form: Form,
): Promise<string | ShownPage> {
  try {
    const text = (field: string) => (form.get(field) ?? '').trim();
    const given = { baseUrl: text('baseUrl'), timeZone: text('timeZone') === '' ? null : text('timeZone') };
    const { token, ...patch } = readValue<{ readonly token?: string }>(
      sourcePatchSchema,
      text('token') === '' ? given : { ...given, token: text('token') },
    );
    await changeSource(sourcePortsOf(page.api), page.caller, name, patch, {
      token: token === undefined ? undefined : { value: token },
    });
    return withNotice(pathTo('/sources'), 'saved');
  } catch (error) {
    return { page: changePage(page, name, form, formErrorsOf(error)), status: statusOf(error) };
  }
}

/** Throws what is not about the form. */
function formErrorsOf(error: unknown): FormErrors {
  if (!(error instanceof Problem) || error.status === 403 || error.status === 404) throw error;
  const found = error.errors.length > 0 ? error.errors : [{ pointer: '', detail: error.message }];
  return toFormErrors(found, (pointer) => pointer.split('/')[1] ?? '');
}

const statusOf = (error: unknown) => (error instanceof Problem ? error.status : 500);

function bodyOf(form: Form): unknown {
  const text = (name: string) => (form.get(name) ?? '').trim();
  const zone = text('timeZone');
  return {
    name: text('name'),
    baseUrl: text('baseUrl'),
    token: text('token'),
    ...(zone === '' ? {} : { timeZone: zone }),
  };
}

export async function dropSource(page: PageContext, { name = '' }: Params): Promise<string> {
  await removeSource(page.api, page.caller, name);
  return withNotice(pathTo('/sources'), 'source-removed');
}
