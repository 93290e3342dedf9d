/** Paths that a URL resolves to others, which the gateway or proxy in front has not checked. */

/**
 * Whether the path of a request leads to another one: `/v1/%2e%2e/health` is `/health` for a URL. API Gateway has checked who may use the
 * route of the path as it is, and that of `/health` needs a signature; a proxy may pass on only some paths.
 */
export function leadsElsewhere(rawPath: string): boolean {
  // A URL has no line breaks and tabs, and takes a backslash for a slash.
  return /[\\\t\r\n]|\/(?:\.|%2e){1,2}(?:\/|$)/i.test(rawPath);
}
