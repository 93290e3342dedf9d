/** Escapes text for the markup it is put into. */

/** For Slack's mrkdwn. `&` is replaced first, or the others would be escaped twice. */
export function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export function escapeHtml(text: string): string {
  return escapeSlack(text).replaceAll('"', '&quot;').replaceAll("'", '&#39;');
}
