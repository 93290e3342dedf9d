/**
 * The modals and Home tabs of a simulated Slack: a stack of up to three modals for each person, one Home tab each, checked
 * against Slack's limits. It knows no HTTP and sends nothing to the app.
 */

import { checkBlocks, elementsIn, withIds } from './blocks.ts';
import { type EnteredValues, isEmpty, mergeState, type StateValues } from './element-state.ts';
import { checkId, checkString, checkText } from './elements.ts';
import { isObject, type Json, type JsonObject, objectsIn, stringOr } from './json.ts';

const MAX_BLOCKS = 100;
const MAX_VIEW_BYTES = 250_000;
const MAX_STACK = 3;
const MAX_TITLE = 24;
const MAX_METADATA = 3000;

export interface View {
  readonly id: string;
  readonly type: 'modal' | 'home';
  /** Changes with each update. */
  readonly hash: string;
  readonly blocks: readonly JsonObject[];
  /** The view as the app sent it. */
  readonly sent: JsonObject;
  readonly values: StateValues;
  /** Problems that the app found in a submission, by block. */
  readonly errors: Readonly<Record<string, string>>;
}

export type ViewResult = { readonly view: View } | { readonly error: string; readonly message?: string };

export class Views {
  readonly #stacks = new Map<string, readonly View[]>();
  readonly #homes = new Map<string, View>();
  #count = 0;

  /** The modal in front of a person. */
  modal(user: string): View | undefined {
    return this.#stacks.get(user)?.at(-1);
  }

  stack(user: string): readonly View[] {
    return this.#stacks.get(user) ?? [];
  }

  home(user: string): View | undefined {
    return this.#homes.get(user);
  }

  find(id: string): { readonly user: string; readonly view: View } | undefined {
    const open = [...this.#stacks].flatMap(([user, stack]) => stack.map((view) => ({ user, view })));
    const homes = [...this.#homes].map(([user, view]) => ({ user, view }));
    return [...open, ...homes].find(({ view }) => view.id === id || view.sent.external_id === id);
  }

  open(user: string, sent: Json | undefined): ViewResult {
    const result = this.#read(sent, 'modal');
    if ('view' in result) this.#stacks.set(user, [result.view]);
    return result;
  }

  push(user: string, sent: Json | undefined): ViewResult {
    const stack = this.stack(user);
    if (stack.length >= MAX_STACK) return { error: 'push_limit_reached' };
    const result = this.#read(sent, 'modal');
    if ('view' in result) this.#stacks.set(user, [...stack, result.view]);
    return result;
  }

  update(id: string, sent: Json | undefined, hash?: Json): ViewResult {
    const open = this.find(id);
    if (open === undefined) return { error: 'not_found' };
    if (typeof hash === 'string' && hash !== open.view.hash) return { error: 'hash_conflict' };
    const result = this.#read(sent, open.view.type, open.view);
    if ('view' in result) this.#replace(open.user, result.view);
    return result;
  }

  publish(user: string, sent: Json | undefined, hash?: Json): ViewResult {
    const home = this.home(user);
    if (typeof hash === 'string' && hash !== home?.hash) return { error: 'hash_conflict' };
    const result = this.#read(sent, 'home', home);
    if ('view' in result) this.#homes.set(user, result.view);
    return result;
  }

  /** Keeps what a person entered. */
  enter(user: string, view: View, entered: EnteredValues): View {
    const changed = { ...view, values: mergeState(view.blocks, view.values, entered), errors: {} };
    this.#replace(user, changed);
    return changed;
  }

  setErrors(user: string, view: View, errors: View['errors']): void {
    this.#replace(user, { ...view, errors });
  }

  /** Closes the modal in front, or all of them. */
  close(user: string, isAll: boolean): void {
    this.#stacks.set(user, isAll ? [] : this.stack(user).slice(0, -1));
  }

  #replace(user: string, view: View): void {
    if (view.type === 'home') this.#homes.set(user, view);
    else
      this.#stacks.set(
        user,
        this.stack(user).map((one) => (one.id === view.id ? view : one)),
      );
  }

  #read(sent: Json | undefined, type: View['type'], before?: View): ViewResult {
    const wrong = checkView(sent, type);
    if (wrong !== undefined || !isObject(sent))
      return { error: 'invalid_arguments', message: wrong ?? 'view: required' };
    if (Buffer.byteLength(JSON.stringify(sent)) > MAX_VIEW_BYTES) return { error: 'view_too_large' };
    const taken = typeof sent.external_id === 'string' ? this.find(sent.external_id) : undefined;
    if (taken !== undefined && taken.view.id !== before?.id) return { error: 'duplicate_external_id' };
    this.#count += 1;
    const blocks = withIds(objectsIn(sent.blocks) ?? []);
    return {
      view: {
        id: before?.id ?? `V${String(this.#count).padStart(8, '0')}`,
        type,
        hash: `${this.#count}.standin`,
        blocks,
        sent,
        values: mergeState(blocks, before?.values ?? {}),
        errors: {},
      },
    };
  }
}

function checkView(view: Json | undefined, type: View['type']): string | undefined {
  if (!isObject(view)) return 'view: must be a valid view';
  if (view.type !== type) return `view/type: must be ${type}`;
  const blocks = objectsIn(view.blocks);
  if (blocks === undefined) return 'view/blocks: not a list of objects';
  const text = (name: string) =>
    view[name] === undefined ? undefined : checkText(view[name], `view/${name}`, MAX_TITLE, ['plain_text']);
  return (
    (type === 'modal' && view.title === undefined ? 'view/title: required' : undefined) ??
    text('title') ??
    text('submit') ??
    text('close') ??
    checkString(view.private_metadata, 'view/private_metadata', MAX_METADATA) ??
    checkId(view.callback_id, 'view/callback_id') ??
    checkId(view.external_id, 'view/external_id') ??
    checkBlocks(blocks, 'view/blocks', MAX_BLOCKS) ??
    (type === 'modal' && view.submit === undefined && blocks.some((block) => block.type === 'input')
      ? 'view/submit: required because the view has input blocks'
      : undefined)
  );
}

/** Problems that Slack's client finds before it sends a submission, by block. */
export function problemsIn({ blocks, values }: View): Readonly<Record<string, string>> {
  const entries = blocks
    .filter(({ type }) => type === 'input')
    .flatMap((block) => {
      const id = stringOr(block.block_id, '');
      const problem = elementsIn(block)
        .map((element) => problemOf(element, values[id]?.[stringOr(element.action_id, '')], block.optional === true))
        .find((one) => one !== undefined);
      return problem === undefined ? [] : [[id, problem] as const];
    });
  return Object.fromEntries(entries);
}

function problemOf(element: JsonObject, state: JsonObject | undefined, isOptional: boolean): string | undefined {
  if (state === undefined || isEmpty(state)) return isOptional ? undefined : 'Please complete this required field.';
  const { min_length: min, max_length: max } = element;
  const length = stringOr(state.value, '').length;
  if (typeof min === 'number' && length < min) return `Please enter at least ${min} characters.`;
  return typeof max === 'number' && length > max ? `Please enter at most ${max} characters.` : undefined;
}
