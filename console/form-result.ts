/** What the form of a subscription shows beside its fields: errors, what the last days would have brought, and a message. */

import { channelRegistry, describeAddress } from '../adapters/channels/registry.ts';
import { knownTypes } from '../core/events/custom-events.ts';
import { jsonObjectOf } from '../core/model/json.ts';
import type { Subscription } from '../core/model/subscription.ts';
import { visibleTypes } from '../manage/api/event-types.ts';
import { testFilter } from '../manage/api/filters.ts';
import { type FieldError, Problem } from '../manage/api/http/problem.ts';
import { type MessagePreview, previewMessage } from '../manage/api/preview-message.ts';
import { checkSubscription } from '../manage/api/subscriptions/check-subscription.ts';
import { describeSubscription, type SubscriptionWords } from './describe-subscription.ts';
import { formToFilter } from './filter-form.ts';
import type { FormText } from './form-text.ts';
import type { PageContext } from './page-context.ts';
import { type FormErrors, NO_ERRORS, toFormErrors } from './parts/field.tsx';
import { fieldAt, formToRequest } from './subscription-form.ts';

export interface FormResult {
  readonly errors: FormErrors;
  /** What the last 7 days would have brought; undefined while the filter has an error. */
  readonly count?: Awaited<ReturnType<typeof testFilter>>;
  /** Undefined while the filter or the template has an error, or if no event type matches. */
  readonly preview?: MessagePreview;
  /** What it asks for, in words and as a query; undefined while it has an error. */
  readonly words?: SubscriptionWords;
}

export const NO_RESULT: FormResult = { errors: NO_ERRORS };

/** The event types that the person may see. */
export const typesFor = ({ api, caller }: Pick<PageContext, 'api' | 'caller'>) => visibleTypes(api.config, caller);

/** @param known the subscription that is edited. @default - a new one */
export async function checkForm(page: PageContext, form: FormText, known?: Subscription): Promise<FormResult> {
  const { api, caller } = page;
  const { body, errors } = formToRequest(form, { types: typesFor(page), known });
  const name = known?.name ?? givenName(form) ?? 'new';
  const checked = await attempt(() => checkSubscription(api, caller, name, body, known));
  const count = await countMatches(page, form, known);
  const sample = checked.value ?? (await withPlaceholder(page, name, body, known));
  // Without a receiver there is a message too.
  const isUnreadable = errors.some(({ pointer }) => !pointer.startsWith('/to/'));
  const preview = isUnreadable || sample === undefined ? null : await previewMessage(api, caller, sample);
  return {
    errors: errorsOf([...errors, ...checked.errors], form, known),
    count,
    ...(preview === null ? {} : { preview }),
    ...(count === undefined || sample === undefined ? {} : { words: describe(page, sample, checked.value) }),
  };
}

/** The receiver is named once it is known. */
function describe({ api }: PageContext, sample: Subscription, checked: Subscription | undefined): SubscriptionWords {
  const address =
    checked === undefined ? (channelRegistry.get(sample.to.channel)?.label ?? '') : describeAddress(checked.to);
  return describeSubscription({ ...sample, address }, knownTypes(api.config));
}

/** The errors by field. What the form itself says about a field is enough. */
export function errorsOf(errors: readonly FieldError[], form: FormText, known?: Subscription): FormErrors {
  const channel = known?.to.channel ?? form.get('channel') ?? '';
  return toFormErrors(errors.map(inPlainWords), (pointer) => fieldAt(pointer, channel, form), { isFirstOnly: true });
}

/** Without the words of a schema: a person sees what the field has. */
function inPlainWords({ detail, ...error }: FieldError): FieldError {
  return { ...error, detail: detail.replace(/, got (?:a list of \d+|an empty list|nothing|a section.*)$/s, '') };
}

/** Errors about what the person has filled in. What is still missing is no error before the form is saved. */
export function withoutMissing(errors: FormErrors, form: FormText): FormErrors {
  return new Map([...errors].filter(([name]) => name !== '' && (form.get(name) ?? '').trim() !== ''));
}

export function givenName(form: FormText): string | undefined {
  const name = (form.get('name') ?? '').trim();
  return name === '' ? undefined : name;
}

async function countMatches(
  page: PageContext,
  form: FormText,
  known: Subscription | undefined,
): Promise<FormResult['count']> {
  const { api, caller } = page;
  const { body, errors } = formToFilter(form, { types: typesFor(page), known });
  if (errors.length > 0) return undefined;
  const { events = known?.events, where = known?.where } = body;
  try {
    return await testFilter(api, caller, { events, ...(where === null || where === undefined ? {} : { where }) });
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

/** A secret that is also a valid address. */
const ANY_SECRET_URL = 'https://tidings.example.com/secret';

/** While the receiver has errors, the message is shown as for any receiver of the channel. */
async function withPlaceholder(
  { api, caller }: PageContext,
  name: string,
  { to, ...body }: Readonly<Record<string, unknown>>,
  known: Subscription | undefined,
): Promise<Subscription | undefined> {
  const channel = known?.to.channel ?? Object.keys(jsonObjectOf(to))[0] ?? '';
  const placeholder = channelRegistry.get(channel)?.placeholder;
  if (placeholder === undefined) return undefined;
  const { secret: _, ...given } = placeholder as Readonly<Record<string, unknown>>;
  // References belong to the operator; a request has values.
  const settings = Object.fromEntries(
    Object.entries(given).map(([key, value]) => [key, value === 'file:secret' ? ANY_SECRET_URL : value]),
  );
  const whole = { ...body, to: { [channel]: settings } };
  return (await attempt(() => checkSubscription(api, caller, name, whole, known))).value;
}

interface Attempted<T> {
  readonly value?: T;
  readonly errors: readonly FieldError[];
}

async function attempt<T>(check: () => Promise<T>): Promise<Attempted<T>> {
  try {
    return { value: await check(), errors: [] };
  } catch (error) {
    // Too many requests are no error of the form.
    if (!(error instanceof Problem) || error.status === 429) throw error;
    return { errors: error.errors.length > 0 ? error.errors : [{ pointer: '', detail: error.message }] };
  }
}
