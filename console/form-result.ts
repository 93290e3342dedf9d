/** What the form of a subscription shows beside its fields: errors, what the last days would have brought, and a message. */

import { channelRegistry } from '../adapters/channels/registry.ts';
import { jsonObjectOf } from '../core/model/json.ts';
import type { Subscription } from '../core/model/subscription.ts';
import { testFilter } from '../manage/api/filters.ts';
import { type FieldError, Problem } from '../manage/api/http/problem.ts';
import { type MessagePreview, previewMessage } from '../manage/api/preview-message.ts';
import { checkSubscription } from '../manage/api/subscriptions/check-subscription.ts';
import type { PageContext } from './page-context.ts';
import { type FormErrors, NO_ERRORS, toFormErrors } from './parts/field.tsx';
import { type FormText, fieldAt, formToFilter, formToRequest, modeOf } from './subscription-form.ts';

export interface FormResult {
  readonly errors: FormErrors;
  /** What the last 7 days would have brought; undefined while the filter has an error. */
  readonly count?: Awaited<ReturnType<typeof testFilter>>;
  /** Undefined while the filter or the template has an error, or if no event type matches. */
  readonly preview?: MessagePreview;
}

export const NO_RESULT: FormResult = { errors: NO_ERRORS };

/** @param known the subscription that is edited. @default - a new one */
export async function checkForm(page: PageContext, form: FormText, known?: Subscription): Promise<FormResult> {
  const { api, caller } = page;
  const { body, errors } = formToRequest(form, known);
  const name = known?.name ?? givenName(form) ?? 'new';
  const checked = attempt(() => checkSubscription(api, caller, name, body, known));
  const all = [...errors, ...checked.errors];
  const count = await countMatches(page, form);
  const sample = checked.value ?? withPlaceholder(page, name, body, known);
  const preview = errors.length > 0 || sample === undefined ? null : await previewMessage(api, caller, sample);
  return {
    errors: errorsOf(all, form, known),
    count,
    ...(preview === null ? {} : { preview }),
  };
}

/** The errors by field. */
export function errorsOf(errors: readonly FieldError[], form: FormText, known?: Subscription): FormErrors {
  const channel = known?.to.channel ?? form.get('channel') ?? '';
  return toFormErrors(errors, (pointer) => fieldAt(pointer, channel, modeOf(form)));
}

export function givenName(form: FormText): string | undefined {
  const name = (form.get('name') ?? '').trim();
  return name === '' ? undefined : name;
}

async function countMatches({ api, caller }: PageContext, form: FormText): Promise<FormResult['count']> {
  const { body, errors } = formToFilter(form);
  if (errors.length > 0) return undefined;
  try {
    return await testFilter(api, caller, body);
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

/** A secret that is also a valid address. */
const ANY_SECRET_URL = 'https://tidings.example.com/secret';

/** While the receiver has errors, the message is shown as for any receiver of the channel. */
function withPlaceholder(
  { api, caller }: PageContext,
  name: string,
  { to, ...body }: Readonly<Record<string, unknown>>,
  known: Subscription | undefined,
): Subscription | undefined {
  const channel = known?.to.channel ?? Object.keys(jsonObjectOf(to))[0] ?? '';
  const placeholder = channelRegistry.get(channel)?.placeholder;
  if (placeholder === undefined) return undefined;
  const { secret: _, ...given } = placeholder as Readonly<Record<string, unknown>>;
  // References belong to the operator; a request has values.
  const settings = Object.fromEntries(
    Object.entries(given).map(([key, value]) => [key, value === 'file:secret' ? ANY_SECRET_URL : value]),
  );
  return attempt(() => checkSubscription(api, caller, name, { ...body, to: { [channel]: settings } }, known)).value;
}

interface Attempted<T> {
  readonly value?: T;
  readonly errors: readonly FieldError[];
}

function attempt<T>(check: () => T): Attempted<T> {
  try {
    return { value: check(), errors: [] };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { errors: error.errors.length > 0 ? error.errors : [{ pointer: '', detail: error.message }] };
  }
}
