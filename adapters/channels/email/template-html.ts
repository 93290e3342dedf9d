/** Sanitizes the HTML of a subscription's template: it runs no scripts, loads nothing and cannot affect the mail around it. */

import sanitizeHtml from 'sanitize-html';
import { BASE_OPTIONS, safeLink, UNWRAPPED, visibleText } from './sanitizer.ts';

const TABLE = ['table'];
const ROW_PARENTS = ['table', 'thead', 'tbody', 'tfoot'];
const CELL_PARENTS = [...ROW_PARENTS, 'tr'];
const IN_CELL = ['', 'td', 'th'];

/** The table elements, each with the allowed nearest table elements around it; '' means none. */
const PARENTS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    table: IN_CELL,
    thead: TABLE,
    tbody: TABLE,
    tfoot: TABLE,
    tr: ROW_PARENTS,
    td: CELL_PARENTS,
    th: CELL_PARENTS,
  }),
);

const CELL_ATTRIBUTES: sanitizeHtml.AllowedAttribute[] = [
  'colspan',
  'rowspan',
  { name: 'align', values: ['left', 'right', 'center', 'justify'] },
];

const ALLOWED_TAGS = [
  ...[
    'a',
    'b',
    'blockquote',
    'br',
    'code',
    'div',
    'em',
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'hr',
    'i',
    'li',
    'ol',
    'p',
  ],
  ...['pre', 's', 'small', 'span', 'strong', 'sub', 'sup', 'u', 'ul', ...PARENTS.keys()],
];

/** Returns a fragment: tags of a whole document (`html`, `body`) are removed too. */
export function sanitizeTemplateHtml(html: string): string {
  /** The open table elements: whether each is kept, and the nearest kept one. */
  const open: { readonly isKept: boolean; readonly nearest: string }[] = [];
  // The layout of the mail uses tables: a stray `td`, or a `table` directly in a `table`, would end the cell around it.
  const unwrapStray = (tagName: string, attribs: sanitizeHtml.Attributes) =>
    open.at(-1)?.isKept === true ? { tagName, attribs } : { tagName: UNWRAPPED, attribs: {} };
  const clean = sanitizeHtml(html, {
    ...BASE_OPTIONS,
    allowedTags: ALLOWED_TAGS,
    allowedAttributes: { a: ['href', 'title'], td: CELL_ATTRIBUTES, th: CELL_ATTRIBUTES },
    nestingLimit: 50,
    onOpenTag(name) {
      const parents = PARENTS.get(name);
      if (parents === undefined) return;
      const nearest = open.at(-1)?.nearest ?? '';
      const isKept = parents.includes(nearest);
      open.push({ isKept, nearest: isKept ? name : nearest });
    },
    onCloseTag(name) {
      if (PARENTS.has(name)) open.pop();
    },
    transformTags: {
      a: (tagName, { href, title }) => ({ tagName, attribs: linkAttributes(href, title) }),
      ...Object.fromEntries([...PARENTS.keys()].map((name) => [name, unwrapStray])),
    },
    textFilter: visibleText,
  });
  return clean.trim();
}

function linkAttributes(href: string | undefined, title: string | undefined): sanitizeHtml.Attributes {
  const link = safeLink(href);
  return {
    ...(link === undefined ? {} : { href: link }),
    ...(title === undefined ? {} : { title: visibleText(title) }),
  };
}
