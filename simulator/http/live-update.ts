/**
 * A script that keeps the parts of a page up to date that carry `data-live`, without a reload. What the reader looks at stays
 * where it is: the first visible item with a `data-key` keeps its place on the screen, and a part in which the reader types or
 * confirms something waits.
 */

export const LIVE_UPDATE = `
const isInUse = (part) =>
  part.querySelector(':popover-open') !== null ||
  (part.contains(document.activeElement) && document.activeElement.matches('input, textarea, select'));
const refresh = async () => {
  const shown = document.querySelector('[data-shown]');
  const response = await fetch(shown ? shown.dataset.shown : location.href).catch(() => undefined);
  if (response === undefined || !response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  for (const part of document.querySelectorAll('[data-live]')) {
    const fresh = page.querySelector(part.tagName);
    if (fresh === null || fresh.innerHTML === part.innerHTML || isInUse(part)) continue;
    const own = part.scrollHeight > part.clientHeight && getComputedStyle(part).overflowY !== 'visible';
    const scroller = own ? part : document.scrollingElement;
    const edge = own ? part.getBoundingClientRect().top : 0;
    const items = scroller.scrollTop > 0 ? [...part.querySelectorAll('[data-key]')] : [];
    const anchor = items.find((item) => item.getBoundingClientRect().bottom > edge);
    const top = anchor?.getBoundingClientRect().top;
    part.innerHTML = fresh.innerHTML;
    for (const name of ['live', 'shown']) {
      if (fresh.dataset[name] === undefined) delete part.dataset[name];
      else part.dataset[name] = fresh.dataset[name];
    }
    const same = anchor && part.querySelector('[data-key="' + CSS.escape(anchor.dataset.key) + '"]');
    if (same) scroller.scrollTop += same.getBoundingClientRect().top - top;
  }
};
setInterval(refresh, 2000);
`;
