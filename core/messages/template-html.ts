/** Takes everything out of HTML that does something: scripts, handlers, styles, pictures that tell on their reader. */

import sanitizeHtml from 'sanitize-html';

const options: sanitizeHtml.IOptions = {
  allowedTags:
    `a b blockquote br code div em h1 h2 h3 h4 h5 h6 hr i li ol p pre s small span strong sub sup table tbody td
    tfoot th thead tr u ul`.split(/\s+/),
  allowedAttributes: { a: ['href', 'title'], td: ['colspan', 'rowspan', 'align'], th: ['colspan', 'rowspan', 'align'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
  // Their text is no text for people.
  nonTextTags: ['script', 'style', 'textarea', 'option', 'noscript', 'title', 'iframe', 'svg', 'math'],
  nestingLimit: 50,
};

/** A piece of HTML, not a document: what was around the body is gone as well. */
export function harmlessHtml(html: string): string {
  return sanitizeHtml(html, options).trim();
}
