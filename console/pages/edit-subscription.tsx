/** Makes and edits a subscription. Every button sends the same form; an invalid one comes back with its input and errors. */

import { createHash } from 'node:crypto';
import type { Child } from 'hono/jsx';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { Problem } from '../../manage/api/http/problem.ts';
import { checkFilter } from '../../manage/api/subscriptions/check-subscription.ts';
import { declaredProblem } from '../../manage/api/subscriptions/expected-state.ts';
import {
  createSubscription,
  findChangeable,
  getSubscription,
  patchSubscription,
} from '../../manage/api/subscriptions/subscriptions.ts';
import {
  eventsOf,
  type Filter,
  type FormMode,
  filterToForm,
  filterToQuery,
  formToFilter,
  NEW_FILTER,
  rowsOf,
  withRows,
} from '../filter-form.ts';
import { loadChoices } from '../form-choices.ts';
import {
  checkForm,
  errorsOf,
  type FormResult,
  givenName,
  NO_RESULT,
  typesFor,
  withoutMissing,
} from '../form-result.ts';
import type { FormText } from '../form-text.ts';
import { Layout } from '../layout.tsx';
import type { PageContext, ShownPage } from '../page-context.ts';
import { withNotice } from '../parts/notice.ts';
import { SecretOnce } from '../parts/secret-once.tsx';
import { subscriptionPath } from '../paths.ts';
import { formToRequest, subscriptionToForm } from '../subscription-form.ts';
import { ChannelChoice } from './choose-channel.tsx';
import { Conflict, EditPage, NewPage } from './subscription-form-pages.tsx';
import { wordsOf } from './subscriptions.tsx';

type Params = Readonly<Record<string, string>>;

/** Fields that a link may fill in: `/subscriptions/new?channel=slack&query=task.overdue`. */
const FROM_ADDRESS = ['channel', 'mode', 'name', 'query'];

export async function showNew(page: PageContext): Promise<Child> {
  assertMayEdit(page);
  const given = FROM_ADDRESS.flatMap((key): readonly [string, string][] => {
    const value = page.url.searchParams.get(key);
    return value === null ? [] : [[key, value]];
  });
  const asked = new Map(given);
  const channel = asked.get('channel') ?? '';
  if (!channelRegistry.has(channel)) return <ChannelChoice page={page} />;
  const way = firstWay(page, channel);
  const fresh = new Map([...NEW_FILTER, ...(way === undefined ? [] : [['way', way] as const]), ...asked]);
  fresh.set('seed', newSeed(page));
  const hasQuery = (fresh.get('query') ?? '') !== '';
  const isTyped = asked.get('mode') === 'query';
  const form =
    hasQuery && !isTyped ? await changeMode(page, new Map([...fresh, ['mode', 'query']]), undefined, 'fields') : fresh;
  const { errors: _, ...result } = hasQuery ? await checkForm(page, form) : NO_RESULT;
  const choices = await loadChoices(page, form);
  return <NewPage page={page} form={form} result={{ ...NO_RESULT, ...result }} choices={choices} />;
}

/** The kind of receiver that works here at once: without a Slack app, a webhook. */
function firstWay({ api }: PageContext, channel: string): string | undefined {
  return channel === 'slack' && api.config.slack === undefined ? 'webhook' : undefined;
}

/** What is stored is no mistake of the person who opens the form. */
export async function showEdit(page: PageContext, { name = '' }: Params): Promise<Child> {
  assertMayEdit(page);
  const known = await findEditable(page, name);
  const { etag } = await getSubscription(page.api, page.caller, name);
  const form = new Map([...subscriptionToForm(known, typesFor(page)), ['etag', etag]]);
  const { errors: _, ...result } = await checkForm(page, form, known);
  const choices = await loadChoices(page, form, known);
  return <EditPage page={page} known={known} form={form} result={{ ...NO_RESULT, ...result }} choices={choices} />;
}

/** A read-only session has no form that it could not send. */
function assertMayEdit({ session }: PageContext): void {
  if (!session.isReadOnly) return;
  throw new Problem(403, 'TIDINGS_CONSOLE_FORBIDDEN', {
    detail: 'this session is read-only: it cannot change anything',
  });
}

async function findEditable({ api, caller }: PageContext, name: string): Promise<Subscription> {
  const known = await findChangeable(api, caller, name);
  if (known.declared) throw declaredProblem(name);
  return known;
}

/** Of a form: sending it twice makes one subscription. */
function newSeed({ api }: PageContext): string {
  return Buffer.from(api.randomBytes(9)).toString('hex');
}

/** Names a subscription without a name, so everyone knows it: another session must not send it as its own, and read the secret. */
function requestOf({ session }: PageContext, seed: string): string {
  return createHash('sha256').update(`${session.csrf} ${seed}`).digest('hex').slice(0, 18);
}

export async function sendNew(page: PageContext, _params: Params, form: FormText): Promise<string | Child | ShownPage> {
  const show = async (shown: FormText, result: FormResult, status = 200): Promise<ShownPage> => ({
    page: <NewPage page={page} form={shown} result={result} choices={await loadChoices(page, shown)} />,
    status,
  });
  const answer = await answerPreview(page, form);
  if (answer !== undefined) return show(answer.form, answer.result);
  const { api, caller } = page;
  const { body, errors } = formToRequest(form, { types: typesFor(page) });
  const name = givenName(form);
  if (errors.length > 0) return show(form, await checkForm(page, form), 422);
  const request = requestOf(page, form.get('seed') ?? newSeed(page));
  try {
    const added = await createSubscription(api, caller, { ...body, ...(name === undefined ? {} : { name }) }, request);
    const own = subscriptionPath(added.view.name);
    if (typeof added.secret !== 'string') return withNotice(own, 'created');
    return (
      <Layout page={page} title={`New: ${added.view.name}`} section="subscriptions">
        <h1>
          <bdi>{added.view.name}</bdi> was made
        </h1>
        <SecretOnce
          label="Signing secret"
          secret={added.secret}
          hint="Give it to the receiver, which checks the signature of each request with it."
          next={own}
        />
      </Layout>
    );
  } catch (error) {
    // The form was sent twice. The secret is not shown again.
    if (error instanceof Problem && error.code === 'TIDINGS_API_NAME_TAKEN' && name === undefined) {
      return withNotice(subscriptionPath(`sub_${request}`), 'created');
    }
    return showErrors(error, page, form, show);
  }
}

export async function sendEdit(
  page: PageContext,
  { name = '' }: Params,
  form: FormText,
): Promise<string | Child | ShownPage> {
  const { api, caller } = page;
  const known = await findEditable(page, name);
  const show = async (shown: FormText, result: FormResult, status = 200, conflict?: Child): Promise<ShownPage> => ({
    page: (
      <EditPage
        page={page}
        known={known}
        form={shown}
        result={result}
        choices={await loadChoices(page, shown, known)}
        conflict={conflict}
      />
    ),
    status,
  });
  const answer = await answerPreview(page, form, known);
  if (answer !== undefined) return show(answer.form, answer.result);
  const { body, errors } = formToRequest(form, { types: typesFor(page), known });
  if (errors.length > 0) return show(form, await checkForm(page, form, known), 422);
  try {
    await patchSubscription(api, caller, name, body, form.get('etag') ?? '');
    return withNotice(subscriptionPath(name), 'saved');
  } catch (error) {
    if (error instanceof Problem && error.status === 412) {
      const { view, etag } = await getSubscription(api, caller, name);
      const fresh = new Map([...form, ['etag', etag]]);
      const conflict = <Conflict name={name} sentence={wordsOf(page, view).sentence} />;
      return show(fresh, await checkForm(page, fresh, known), 412, conflict);
    }
    return showErrors(error, page, form, show, known);
  }
}

/** The result of a button other than the one that stores it. Undefined for that one. */
async function answerPreview(
  page: PageContext,
  form: FormText,
  known?: Subscription,
): Promise<{ readonly form: FormText; readonly result: FormResult } | undefined> {
  const action = actionOf(form);
  if (action === 'save') return undefined;
  const shown = await applyAction(page, form, known, action);
  const result = await checkForm(page, shown, known);
  return { form: shown, result: { ...result, errors: withoutMissing(result.errors, shown) } };
}

/** Without a script, Enter in the search presses the button that saves. */
function actionOf(form: FormText): string {
  const action = form.get('do') ?? 'save';
  const isSearch = (form.get('search') ?? '').trim() !== (form.get('search.was') ?? '').trim();
  return action === 'save' && isSearch ? 'search' : action;
}

async function applyAction(
  page: PageContext,
  form: FormText,
  known: Subscription | undefined,
  action: string,
): Promise<FormText> {
  const [verb, index] = action.split('.');
  if (verb === 'add' && (form.get('add.key') ?? '') !== '') {
    const row = { key: form.get('add.key') ?? '', operator: 'is', value: '' };
    return withRows(form, [...rowsOf(form), row]);
  }
  if (verb === 'remove') return withRows(form, rowsOf(form).toSpliced(Number(index), 1));
  if (verb === 'rows' || verb === 'pattern') return changeContentMode(page, form, known, verb);
  return verb === 'query' || verb === 'fields' ? changeMode(page, form, known, verb) : form;
}

/** The filter that the form stands for; undefined while it has an error. */
async function filterOf(
  page: PageContext,
  form: FormText,
  known: Subscription | undefined,
): Promise<Filter | undefined> {
  const { body, errors } = formToFilter(form, { types: typesFor(page), known });
  if (errors.length > 0) return undefined;
  try {
    const given = { ...(known && keysOf(known)), ...body };
    const present = Object.entries(given).filter(([, value]) => value != null);
    return await checkFilter(page.api, page.caller, Object.fromEntries(present));
  } catch (error) {
    if (!(error instanceof Problem) || error.status === 429) throw error;
    return undefined;
  }
}

const keysOf = ({ events, where, digest, quiet }: Filter) => ({ events, where, digest, quiet });

/** The same filter in the other form, as far as it can be expressed. */
async function changeMode(
  page: PageContext,
  form: FormText,
  known: Subscription | undefined,
  mode: FormMode,
): Promise<FormText> {
  const filter = await filterOf(page, form, known);
  const types = typesFor(page);
  if (mode === 'fields') {
    return filter === undefined
      ? new Map([...NEW_FILTER, ...form, ['mode', 'fields']])
      : new Map([...withRows(form, []), ...filterToForm(filter, types)]);
  }
  const isEmpty = eventsOf(form).length === 0;
  const query = filter === undefined ? undefined : filterToQuery(filter, types);
  if (query === undefined) return isEmpty ? new Map([...form, ['mode', 'query']]) : form;
  return new Map([...form, ['query', query], ['mode', 'query']]);
}

/** Conditions as rows, or as the pattern that says the same. */
async function changeContentMode(
  page: PageContext,
  form: FormText,
  known: Subscription | undefined,
  mode: 'rows' | 'pattern',
): Promise<FormText> {
  const filter = await filterOf(page, form, known);
  const hasContent = rowsOf(form).length > 0 || (form.get('where') ?? '').trim() !== '';
  // What has an error stays where it can be corrected.
  if (filter === undefined && hasContent) return form;
  if (filter?.where === undefined) return new Map([...withRows(form, []), ['content', mode], ['where', '']]);
  if (mode === 'pattern') {
    const where = JSON.stringify(filter.where, undefined, 2);
    return new Map([...withRows(form, []), ['content', 'pattern'], ['where', where]]);
  }
  return new Map([...withRows(form, []), ...filterToForm(filter, typesFor(page))]);
}

async function showErrors(
  error: unknown,
  page: PageContext,
  form: FormText,
  show: (form: FormText, result: FormResult, status: number) => Promise<ShownPage>,
  known?: Subscription,
): Promise<ShownPage> {
  if (!(error instanceof Problem) || ![403, 409, 413, 422].includes(error.status)) throw error;
  const errors = error.errors.length > 0 ? error.errors : [{ pointer: '', detail: error.message }];
  const result = await checkForm(page, form, known);
  return show(form, { ...result, errors: errorsOf(errors, form, known) }, error.status);
}
