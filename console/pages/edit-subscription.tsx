/** Makes and edits a subscription. Every button sends the same form; an invalid one comes back with its input and errors. */

import type { Child } from 'hono/jsx';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import { printQuery } from '../../core/filters/query.ts';
import { queryFromSubscription } from '../../core/filters/query-from.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { knownTypes } from '../../manage/api/event-types.ts';
import { Problem } from '../../manage/api/http/problem.ts';
import { checkFilter } from '../../manage/api/subscriptions/check-subscription.ts';
import {
  createSubscription,
  declaredProblem,
  findChangeable,
  getSubscription,
  patchSubscription,
} from '../../manage/api/subscriptions/subscriptions.ts';
import { checkForm, errorsOf, type FormResult, givenName, NO_RESULT } from '../form-result.ts';
import { Layout } from '../layout.tsx';
import type { PageContext } from '../page-context.ts';
import { withNotice } from '../parts/notice.ts';
import { SecretOnce } from '../parts/secret-once.tsx';
import { subscriptionPath } from '../paths.ts';
import type { ShownPage } from '../routes.tsx';
import { type FormText, filterToForm, formToRequest, subscriptionToForm } from '../subscription-form.ts';
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
  const form = new Map(given);
  if (!channelRegistry.has(form.get('channel') ?? '')) return <ChannelChoice page={page} />;
  form.set('seed', newSeed(page));
  const hasFilter = (form.get('query') ?? '') !== '';
  const { errors: _, ...result } = hasFilter ? await checkForm(page, form) : NO_RESULT;
  return <NewPage page={page} form={form} result={{ ...NO_RESULT, ...result }} />;
}

export async function showEdit(page: PageContext, { name = '' }: Params): Promise<Child> {
  assertMayEdit(page);
  const known = await findEditable(page, name);
  const { etag } = await getSubscription(page.api, page.caller, name);
  const form = new Map([...subscriptionToForm(known, typesOf(page)), ['etag', etag]]);
  return <EditPage page={page} known={known} form={form} result={await checkForm(page, form, known)} />;
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

const typesOf = ({ api }: PageContext) => knownTypes(api.config).map(({ type }) => type);

/** Names a subscription without a name, so that sending the form twice makes it once. */
function newSeed({ api }: PageContext): string {
  return Buffer.from(api.randomBytes(9)).toString('hex');
}

export async function sendNew(page: PageContext, _params: Params, form: FormText): Promise<string | Child | ShownPage> {
  const show = async (shown: FormText, result: FormResult, status = 200): Promise<ShownPage> => ({
    page: <NewPage page={page} form={shown} result={result} />,
    status,
  });
  const answer = await answerPreview(page, form);
  if (answer !== undefined) return show(answer.form, answer.result);
  const { api, caller } = page;
  const { body, errors } = formToRequest(form);
  const name = givenName(form);
  if (errors.length > 0) return show(form, await checkForm(page, form), 422);
  const seed = /^[0-9a-f]{18}$/.exec(form.get('seed') ?? '')?.[0] ?? newSeed(page);
  try {
    const added = await createSubscription(api, caller, { ...body, ...(name === undefined ? {} : { name }) }, seed);
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
      return withNotice(subscriptionPath(`sub_${seed}`), 'created');
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
    page: <EditPage page={page} known={known} form={shown} result={result} conflict={conflict} />,
    status,
  });
  const answer = await answerPreview(page, form, known);
  if (answer !== undefined) return show(answer.form, answer.result);
  const { body, errors } = formToRequest(form, known);
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
  const action = form.get('do') ?? 'save';
  if (action === 'save') return undefined;
  const shown = action === 'preview' ? form : switchMode(page, form, known, action === 'fields' ? 'fields' : 'query');
  return { form: shown, result: await checkForm(page, shown, known) };
}

/** The same filter in the other form, as far as it can be expressed. */
function switchMode(
  page: PageContext,
  form: FormText,
  known: Subscription | undefined,
  mode: 'query' | 'fields',
): FormText {
  const { body } = formToRequest(form, known);
  try {
    const { api, caller } = page;
    const { query, events, where, digest, quiet } = body;
    const given = Object.entries({ query, events, where, digest, quiet }).filter(([, value]) => value != null);
    const filter = checkFilter(api, caller, Object.fromEntries(given));
    const parsed = queryFromSubscription(filter, typesOf(page));
    if (mode === 'fields') return new Map([...form, ...filterToForm(filter), ['mode', 'fields']]);
    if (parsed === undefined) return form;
    return new Map([...form, ['query', printQuery(parsed)], ['mode', 'query']]);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    // An empty or invalid filter has nothing to carry over.
    return mode === 'fields' || (form.get('events') ?? '').trim() === '' ? new Map([...form, ['mode', mode]]) : form;
  }
}

async function showErrors(
  error: unknown,
  page: PageContext,
  form: FormText,
  show: (form: FormText, result: FormResult, status: number) => Promise<ShownPage>,
  known?: Subscription,
): Promise<ShownPage> {
  if (!(error instanceof Problem) || ![403, 409, 422].includes(error.status)) throw error;
  const errors = error.errors.length > 0 ? error.errors : [{ pointer: '', detail: error.message }];
  const result = await checkForm(page, form, known);
  return show(form, { ...result, errors: errorsOf(errors, form, known) }, error.status);
}
