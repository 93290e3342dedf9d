/** What the forms of the page do: each is something that one person does. Knows the fields of the forms, not the HTML. */

import { elementsIn } from './blocks.ts';
import { fieldName } from './element-html.ts';
import type { Entered, EnteredValues } from './element-state.ts';
import { isStateful } from './element-state.ts';
import { stringOr } from './json.ts';
import { HOME_TAB } from './page.ts';
import type { Pressed } from './pressed-element.ts';
import type { View } from './views.ts';
import type { Visitor } from './visitor.ts';

/** Does what a form asks for and returns the address of the page to show. Throws RangeError for what cannot be done. */
export async function performPageAction(action: string, form: URLSearchParams, visitor: Visitor): Promise<string> {
  const field = (name: string) => form.get(name) ?? '';
  const back = action === 'home' ? HOME_TAB : field('back');
  const url = `/?${new URLSearchParams({ channel: back, as: visitor.person.id, ...thread(form) })}`;
  switch (action) {
    case 'type':
      await visitor.type(field('channel'), field('text'), form.get('thread') ?? undefined);
      return url;
    case 'press':
      await visitor.press(field('channel'), field('ts'), pressedIn(form));
      return url;
    case 'view':
      await useView(form, visitor);
      return url;
    case 'close':
      await visitor.closeModal();
      return url;
    case 'home':
      await visitor.openHome();
      return url;
    default:
      throw new RangeError(`no action '${action}'`);
  }
}

const thread = (form: URLSearchParams): Record<string, string> => {
  const open = form.get('open');
  return open === null ? {} : { thread: open };
};

async function useView(form: URLSearchParams, visitor: Visitor): Promise<void> {
  const where = form.get('view') === 'home' ? 'home' : 'modal';
  const view = where === 'home' ? visitor.home() : visitor.modal();
  if (view === undefined) return;
  if (form.has('press'))
    await visitor.pressInView(where, pressedIn(form), where === 'home' ? {} : enteredIn(view, form));
  else await visitor.submit(enteredIn(view, form));
}

/** The element whose button was used: `press` names it, and the field of that name has its value. */
function pressedIn(form: URLSearchParams): Pressed {
  const name = form.get('press') ?? '';
  const [block, action] = readName(name);
  const values = form.has('chosen') ? form.getAll('chosen') : form.getAll(name);
  return { block, action, value: toEntered(values) };
}

function readName(name: string): readonly [string, string] {
  try {
    const [block, action] = JSON.parse(name);
    return [String(block), String(action)];
  } catch {
    throw new RangeError(`no element '${name}'`);
  }
}

const toEntered = (values: readonly string[]): Entered => {
  const [first] = values;
  if (first === undefined) return null;
  return values.length === 1 ? first : values;
};

/** Everything in the form of a modal. A field that is absent is empty: a form does not send unchecked boxes. */
function enteredIn(view: View, form: URLSearchParams): EnteredValues {
  const rows = view.blocks.flatMap((block) => {
    const elements = elementsIn(block).filter(isStateful);
    if (elements.length === 0) return [];
    const values = elements.map(
      (element) => [stringOr(element.action_id, ''), toEntered(form.getAll(fieldName(block, element)))] as const,
    );
    return [[stringOr(block.block_id, ''), Object.fromEntries(values)] as const];
  });
  return Object.fromEntries(rows);
}
