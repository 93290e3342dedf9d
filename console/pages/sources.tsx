/** The sources: list, add and change after a check, remove. Those of the config are shown only: they are changed there. */

import type { Child, FC } from 'hono/jsx';
import { clip } from '../../core/messages/clip.ts';
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
import { listSources } from '../../manage/api/sources.ts';
import type { SourceStatus } from '../../runtime/inspect/status.ts';
import { Csrf, Layout } from '../layout.tsx';
import type { PageContext, ShownPage } from '../page-context.ts';
import { Empty } from '../parts/empty.tsx';
import { type FormErrors, NO_ERRORS, toFormErrors } from '../parts/field.tsx';
import { noticeOf, withNotice } from '../parts/notice.ts';
import { SourceCard } from '../parts/source-card.tsx';
import { type SourceFormValues as Form, SourceForm } from '../parts/source-form.tsx';
import { Status } from '../parts/status.tsx';
import { pathTo, sourcePath } from '../paths.ts';
import { isSourceOk, sourceState } from '../source-state.ts';

const EMPTY: Form = new Map();

export async function showSources(page: PageContext): Promise<Child> {
  return sourcesPage(page, EMPTY, NO_ERRORS);
}

/** With fewer, a filter would only be in the way. */
const MIN_FILTERED = 10;

async function sourcesPage(page: PageContext, form: Form, errors: FormErrors): Promise<Child> {
  const { data, unused } = await listSources(page.api, page.caller);
  const filter = readFilter(page.url);
  const shown = data.filter((status) => isShown(status, filter)).toSorted(byAttention);
  const shownUnused = unused.filter(({ source, baseUrl }) => hasText([source, baseUrl], filter.text));
  return (
    <Layout page={page} title="Sources" section="sources" notice={noticeOf(page.url)}>
      <h1>Sources</h1>
      <p class="lead">
        The accounts that are polled. Those of the config are changed there.
        {page.session.isReadOnly ? null : (
          <>
            {' '}
            <a href="#new">Add a source</a>
          </>
        )}
      </p>
      {data.length + unused.length < MIN_FILTERED ? null : <SourceFilters filter={filter} count={data.length} />}
      {shown.length + shownUnused.length > 0 ? (
        <ul class="rows">
          {shownUnused.map(({ source, baseUrl, reason }) => (
            <SourceRow page={page} name={source} baseUrl={baseUrl} isStored unused={reason} />
          ))}
          {shown.map((status) => (
            <SourceRow
              page={page}
              name={status.source}
              baseUrl={status.baseUrl}
              isStored={status.origin === 'stored'}
              status={status}
            />
          ))}
        </ul>
      ) : data.length === 0 ? (
        <Empty title="No sources">
          <p>{page.session.isReadOnly ? 'Nothing is polled.' : 'Add an account below.'}</p>
        </Empty>
      ) : (
        <Empty title="No source matches the filter">
          <p>
            <a href={pathTo('/sources')}>All sources</a>
          </p>
        </Empty>
      )}
      {page.session.isReadOnly ? null : <SourceForm page={page} form={form} errors={errors} />}
    </Layout>
  );
}

interface SourceFilter {
  /** Lower case. */
  readonly text: string;
  readonly isAttention: boolean;
}

function readFilter({ searchParams }: URL): SourceFilter {
  const text = (searchParams.get('text') ?? '').trim().toLowerCase();
  return { text, isAttention: searchParams.get('state') === 'attention' };
}

const hasText = (values: readonly (string | null)[], text: string) =>
  values.some((value) => value?.toLowerCase().includes(text));

const isShown = (status: SourceStatus, { text, isAttention }: SourceFilter) =>
  hasText([status.source, status.baseUrl], text) && !(isAttention && isSourceOk(status));

const byAttention = (a: SourceStatus, b: SourceStatus) => Number(isSourceOk(a)) - Number(isSourceOk(b));

const SourceFilters: FC<{ readonly filter: SourceFilter; readonly count: number }> = ({ filter, count }) => (
  <form class="list-filters" method="get" action={pathTo('/sources')}>
    <label>
      Name or address
      <input name="text" value={filter.text} />
    </label>
    <label>
      State
      <select name="state">
        <option value="">All {count.toLocaleString('en')}</option>
        <option value="attention" selected={filter.isAttention}>
          Need attention
        </option>
      </select>
    </label>
    <button type="submit">Show</button>
  </form>
);

const kindOf = ({ api }: PageContext, name: string) => api.config.sources.find((one) => one.name === name)?.kind ?? '';

interface SourceRowProps {
  readonly page: PageContext;
  readonly name: string;
  readonly baseUrl: string | null;
  readonly isStored: boolean;
  /** @default - it is not polled */
  readonly status?: SourceStatus;
  /** Why it is not polled. @default - it is */
  readonly unused?: string;
}

const SourceRow: FC<SourceRowProps> = ({ page, name, baseUrl, isStored, status, unused }) => (
  <li class="key-row">
    <div>
      <p>
        {status === undefined ? (
          <Status tone="soon" icon="held" word="not polled" />
        ) : (
          <Status {...sourceState(status)} />
        )}{' '}
        <b>
          {status === undefined ? (
            <bdi>{name}</bdi>
          ) : (
            <a href={sourcePath(name)} data-row>
              <bdi>{name}</bdi>
            </a>
          )}
        </b>{' '}
        {status === undefined ? null : <span class="tag">{kindOf(page, name)}</span>}{' '}
        {isStored ? null : <span class="tag">config</span>}
      </p>
      <p class="soft">
        <bdi>{baseUrl ?? ''}</bdi>
      </p>
      {(unused ?? status?.reason ?? null) === null ? null : (
        <p class="problem-text">{clip(unused ?? status?.reason ?? '', 400)}</p>
      )}
    </div>
    {page.session.isReadOnly || !isStored ? null : (
      <div class="buttons">
        {status === undefined ? null : (
          <a class="button" href={sourcePath(name)} aria-label={`Change the source ${name}`}>
            Change
          </a>
        )}
        <details class="confirm">
          <summary aria-label={`Remove the source ${name}`}>Remove…</summary>
          <form method="post" action={`${sourcePath(name)}/remove`}>
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
  const isDeclared = page.api.config.sources.some((one) => one.name === name && one.stored === undefined);
  if (isDeclared) return sourcePage(page, name, undefined, NO_ERRORS);
  const { view } = await getSourceSettings(page.api, name);
  const form = new Map(Object.entries(view.settings).map(([key, value]) => [key, String(value)]));
  return sourcePage(page, name, form, NO_ERRORS);
}

/** @param form undefined for a source that is changed in the config */
async function sourcePage(page: PageContext, name: string, form: Form | undefined, errors: FormErrors): Promise<Child> {
  const { data } = await listSources(page.api, page.caller);
  const status = data.find(({ source }) => source === name);
  return (
    <Layout page={page} title={`Source ${name}`} section="sources" notice={noticeOf(page.url)}>
      <h1>
        Source <bdi>{name}</bdi>
      </h1>
      {status === undefined ? null : (
        <>
          <p class="lead">
            <bdi>{status.baseUrl ?? ''}</bdi>
          </p>
          <SourceCard page={page} status={status} />
        </>
      )}
      {page.session.isReadOnly || form === undefined ? null : (
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
    return { page: await sourcePage(page, name, form, formErrorsOf(error)), status: statusOf(error) };
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
