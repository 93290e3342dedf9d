/** Plain text of an API as the model expects it: with entities, which cleaning decodes, or as HTML. Pure. */

/** `&amp;` in a text of the API is meant. Null for an empty one. */
export function encodeText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.replaceAll('&', '&amp;') : null;
}

/** Descriptions are HTML in the model. Markup of the system's own stays as it is. */
export function htmlOf(value: unknown): string | null {
  if (typeof value !== 'string' || value === '') return null;
  const escaped = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped.replaceAll(/\r?\n/g, '<br>\n');
}
