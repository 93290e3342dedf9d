/** Quotes the API's responses in messages and evidence, with the token removed. */

/** Enough to distinguish an error page from an envelope. */
const MAX_SHOWN_CHARS = 200;

export interface Excerpt {
  /** The first bytes of a body. */
  ofBody(body: Buffer): string;
  /** A message of the API or of the network, in full. */
  ofText(text: string): string;
}

/**
 * Debug pages echo request headers and error messages quote the token. It is removed from all foreign text, in every
 * encoding in which it was sent.
 */
export function createExcerpt(token: string, authorization: string): Excerpt {
  const credentials = authorization.replace(/^Basic /, '');
  const forms = [credentials, token, encodeURIComponent(token), JSON.stringify(token).slice(1, -1)];
  const secrets = [...new Set(forms)].filter((form) => form !== '');
  const longest = Math.max(0, ...secrets.map((secret) => Buffer.byteLength(secret)));

  const ofText = (text: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
  return {
    ofText,
    // Truncates after the removal: a truncated token would not be recognized and would leak.
    ofBody: (body) => ofText(body.toString('utf8', 0, MAX_SHOWN_CHARS + longest)).slice(0, MAX_SHOWN_CHARS),
  };
}
