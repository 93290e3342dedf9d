/** The script of the page: sends forms without leaving the page, and sends what is chosen in a menu at once. */

import { LIVE_UPDATE } from '../http/live-update.ts';

export const PAGE_SCRIPT = `${LIVE_UPDATE}
document.documentElement.classList.add('scripted');
document.addEventListener('submit', async (event) => {
  const form = event.target;
  if (form.method !== 'post' || form.dataset.navigates !== undefined) return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form, event.submitter));
  form.querySelector(':popover-open')?.hidePopover();
  const typed = form.querySelector('[name=text]');
  if (typed !== null) typed.value = '';
  form.classList.add('busy');
  await fetch(form.action + '?stay', { method: 'POST', body }).catch(() => undefined);
  form.classList.remove('busy');
  document.activeElement?.closest('main, aside') && document.activeElement.blur();
  await refresh();
});
document.addEventListener('change', (event) => {
  if (event.target.form?.dataset.chooses !== undefined) event.target.form.submit();
  const part = event.target.closest('[data-dispatch]');
  if (part !== null) event.target.form.requestSubmit(part.querySelector('button.set'));
});
`;
