/**
 * The script of the console. Every page works without it; it adds the live list, keyboard shortcuts, relative times, the
 * reader's own time on hover, and copying. `npm run generate` compiles it into console/assets.ts.
 */

const LIVE_INTERVAL_MS = 3000;
const CLOCK_INTERVAL_MS = 10_000;
const PREVIEW_DELAY_MS = 400;

const all = <E extends HTMLElement>(selector: string, root: ParentNode = document) => [
  ...root.querySelectorAll<E>(selector),
];
const first = <E extends HTMLElement>(selector: string) => document.querySelector<E>(selector);

document.documentElement.classList.add('has-script');

// Relative times and the reader's own zone. The server has the same rule for relative times.

const UNITS: readonly (readonly [number, string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
];

const own = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' });
const ownZone = own.resolvedOptions().timeZone;

/** The difference between the server's clock and the reader's, so that a wrong clock shows no wrong spans. */
const skew = Number(document.documentElement.dataset.now ?? Date.now()) - Date.now();

function relative(at: number): string {
  const span = Date.now() + skew - at;
  const [size, unit] = UNITS.find(([one]) => Math.abs(span) >= one) ?? [1000, 's'];
  const count = Math.floor(Math.abs(span) / size);
  if (count === 0) return 'now';
  return span > 0 ? `${count} ${unit} ago` : `in ${count} ${unit}`;
}

function updateTimes(root: ParentNode = document): void {
  for (const time of all<HTMLTimeElement>('time', root)) {
    const at = Date.parse(time.dateTime);
    if (Number.isNaN(at)) continue;
    if (time.dataset.zoned === undefined) {
      time.dataset.zoned = '';
      time.title = `${own.format(at)}, your time (${ownZone})${time.title === '' ? '' : `\n${time.title}`}`;
    }
    if (time.dataset.relative !== undefined) {
      const text = relative(at);
      if (time.textContent !== text) time.textContent = text;
    }
  }
}

// Rows and the keyboard.

const rows = () => all<HTMLAnchorElement>('a.row, a[data-row]');

function move(step: 1 | -1): void {
  const list = rows();
  const at = list.indexOf(document.activeElement as HTMLAnchorElement);
  const next = list[at === -1 ? (step === 1 ? 0 : list.length - 1) : at + step];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName));

function openHelp(): void {
  const dialog = first<HTMLDialogElement>('#help');
  if (dialog !== null && !dialog.open) dialog.showModal();
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (isTyping(event.target)) {
    if (event.key === 'Escape') (event.target as HTMLElement).blur();
    return;
  }
  if (first<HTMLDialogElement>('#help')?.open === true) return;
  if (event.key === '/') first<HTMLInputElement>('[data-search]')?.focus();
  else if (event.key === 'j') move(1);
  else if (event.key === 'k') move(-1);
  else if (event.key === 'o')
    rows()
      .find((row) => row === document.activeElement)
      ?.click();
  else if (event.key === '?') openHelp();
  else return;
  event.preventDefault();
});

document.addEventListener('click', (event) => {
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest('[data-help]') != null && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    openHelp();
  }
  const selects = target?.closest<HTMLElement>('[data-select-all]');
  if (selects != null) {
    const boxes = all<HTMLInputElement>('input[data-select]:enabled');
    const isOn = boxes.some(({ checked }) => !checked);
    for (const box of boxes) box.checked = isOn;
  }
  const copy = target?.closest<HTMLElement>('[data-copy]');
  if (copy != null) void copyText(copy);
});

async function copyText(button: HTMLElement): Promise<void> {
  const text = document.getElementById(button.dataset.copy ?? '')?.textContent ?? '';
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Not allowed by the browser';
  }
  setTimeout(() => {
    button.textContent = label;
  }, 2000);
}

// Fields that send their form when they change: the filters of a list.

document.addEventListener('change', (event) => {
  const target = event.target instanceof HTMLElement ? event.target : null;
  if (target?.dataset.send !== undefined) target.closest('form')?.requestSubmit();
});

// The result beside a form: the same form with the same fields, sent while a person types. Buttons that change a part of the
// form replace that part.

/** Replaces the content of the element with this id by that of the other page. */
function replacePart(next: Document, id: string): void {
  const [from, to] = [next.getElementById(id), document.getElementById(id)];
  if (from === null || to === null || from.innerHTML === to.innerHTML) return;
  updateTimes(from);
  to.replaceChildren(...from.childNodes);
}

function keepPreview(form: HTMLFormElement, id: string): void {
  let timer = 0;
  let latest = 0;

  /** The page after pressing a button; undefined if a later one was pressed meanwhile, or it failed. */
  const send = async (action: string): Promise<Document | undefined> => {
    clearTimeout(timer);
    latest += 1;
    const own = latest;
    const fields = new FormData(form);
    fields.set('do', action);
    const body = new URLSearchParams([...fields].map(([name, value]) => [name, String(value)]));
    const response = await fetch(form.action, { method: 'POST', body, headers: { 'x-fragment': '1' } });
    const text = await response.text();
    return response.ok && own === latest ? new DOMParser().parseFromString(text, 'text/html') : undefined;
  };

  form.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const next = await send('preview');
      if (next === undefined) return;
      replacePart(next, id);
      // Other event types have other fields. A list that is open stays as it is.
      if (document.activeElement?.closest('#add-condition') == null) replacePart(next, 'add-condition');
    }, PREVIEW_DELAY_MS);
  });

  form.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest<HTMLButtonElement>('[data-swap]') : null;
    if (button === null) return;
    event.preventDefault();
    const part = button.dataset.swap ?? '';
    void send(button.value).then((next) => {
      if (next === undefined) return;
      replacePart(next, part);
      replacePart(next, id);
      const controls = all<HTMLElement>(`#${part} select, #${part} textarea, #${part} input:not([type=hidden])`);
      const added = all<HTMLElement>(`#${part} .condition select`).at(-1);
      (button.value === 'add' ? (added ?? controls.at(-1)) : controls.at(-1))?.focus();
    });
  });
}

// The tree of event types: the search hides what does not match, as the server does, and each group counts its choices.

function searchTypes(field: HTMLInputElement): void {
  const words = field.value.toLowerCase().split(/\s+/);
  const found = (item: HTMLElement) => words.every((word) => (item.dataset.searchText ?? '').includes(word));
  const isSearch = field.value.trim() !== '';
  let count = 0;
  for (const group of all<HTMLDetailsElement>('.type-group')) {
    const items = all<HTMLElement>('li', group);
    for (const item of items) {
      const isShown = item.dataset.searchText === undefined ? !isSearch : found(item);
      item.hidden = !isShown && item.querySelector(':checked') === null;
    }
    const matches = items.filter((item) => item.dataset.searchText !== undefined && found(item)).length;
    count += matches;
    group.hidden = items.every(({ hidden }) => hidden);
    if (isSearch) group.open = !group.hidden;
  }
  const nothing = first('[data-no-type]');
  if (nothing !== null) nothing.hidden = count > 0;
  // Shows the server that the form was not sent for this search.
  const was = first<HTMLInputElement>('input[name="search.was"]');
  if (was !== null) was.value = field.value;
}

function countTypes(group: Element): void {
  const boxes = all<HTMLInputElement>('input:checked', group);
  const shown = group.querySelector('[data-chosen]');
  const isAll = boxes.some((box) => box.dataset.all !== undefined);
  if (shown !== null) shown.textContent = isAll ? 'all' : boxes.length === 0 ? '' : `${boxes.length} chosen`;
}

for (const field of all<HTMLInputElement>('[data-type-search]')) {
  field.addEventListener('input', () => searchTypes(field));
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') event.preventDefault();
  });
}
for (const group of all('.type-group')) group.addEventListener('change', () => countTypes(group));

// The live part of a page: the same address, without the frame.

let shown = '';

async function refresh(): Promise<void> {
  const live = first('[data-live]');
  if (live === null || document.hidden || isTyping(document.activeElement) || live.matches(':has(details[open])'))
    return;
  const response = await fetch(location.href, { headers: { 'x-fragment': '1' }, redirect: 'error' });
  // The session has ended: the page says so.
  if (response.status === 401) return location.reload();
  if (!response.ok) return;
  const text = await response.text();
  if (text === shown) return;
  const next = new DOMParser().parseFromString(text, 'text/html').getElementById(live.id);
  if (next === null) return;
  const isFirst = shown === '';
  shown = text;
  updateTimes(next);
  if (next.innerHTML === live.innerHTML) return;
  const known = new Set(all('[id]', live).map(({ id }) => id));
  const focused = document.activeElement instanceof HTMLAnchorElement ? document.activeElement.href : '';
  if (!isFirst || known.size > 0) {
    for (const row of all('li[id]', next)) if (!known.has(row.id)) row.classList.add('is-new');
  }
  live.replaceChildren(...next.childNodes);
  if (focused !== '')
    all<HTMLAnchorElement>('a', live)
      .find(({ href }) => href === focused)
      ?.focus();
}

async function keepLive(): Promise<void> {
  try {
    await refresh();
    document.documentElement.classList.remove('is-offline');
  } catch {
    document.documentElement.classList.add('is-offline');
  }
  setTimeout(keepLive, LIVE_INTERVAL_MS);
}

updateTimes();
first('[data-focus]')?.focus();
for (const form of all<HTMLFormElement>('form[data-preview]')) keepPreview(form, form.dataset.preview ?? '');
setInterval(() => updateTimes(), CLOCK_INTERVAL_MS);
if (first('[data-live]') !== null) {
  setTimeout(keepLive, LIVE_INTERVAL_MS);
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) void refresh().catch(() => {});
  });
}
first<HTMLFormElement>('form[data-submit=now]')?.requestSubmit();
