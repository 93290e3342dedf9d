/** Shows what the API said, for messages and evidence, without the token. Knows nothing of what it means. */

/** Enough to tell an error page from an envelope. */
const SHOWN = 200;

/** Makes foreign text fit to be shown. */
export interface Excerpt {
  /** The first bytes of a body. */
  ofBody(body: Buffer): string;
  /** A text of the other side or of the network, whole. */
  ofText(text: string): string;
}

/**
 * Debug pages echo request headers and refusals quote the token, so it is taken out of all foreign text, in each form
 * in which it went over the wire.
 */
export function excerptWithout(token: string, authorization: string): Excerpt {
  const credentials = authorization.replace(/^Basic /, '');
  const forms = [credentials, token, encodeURIComponent(token), JSON.stringify(token).slice(1, -1)];
  const secrets = [...new Set(forms)].filter((form) => form !== '');
  const longest = Math.max(0, ...secrets.map((secret) => Buffer.byteLength(secret)));

  const ofText = (text: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
  return {
    ofText,
    // Cut after the token is out: half a token would not be recognised, and still be half a token.
    ofBody: (body) => ofText(body.toString('utf8', 0, SHOWN + longest)).slice(0, SHOWN),
  };
}
