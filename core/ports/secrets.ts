/** Port: resolves a reference such as `${OPS_SECRET}` or `file:/run/secrets/ops` to the secret when it is used. */

interface ResolveOptions {
  /** Bypasses the cache. @default false */
  readonly fresh?: boolean;
}

export interface Secrets {
  /** Throws GiveUp if the secret does not exist, RetryLater if it may be available later. Errors never contain the value. */
  resolve(reference: string, options?: ResolveOptions): Promise<string>;
  /** Stores a new secret and returns the reference to it. */
  keep(name: string, secret: string): Promise<string>;
  /**
   * Keeps a secret that is written literally in a config or a file, and returns the reference to it, which is always the
   * same for the same secret. @default - literal secrets are not allowed
   */
  keepLiteral?(secret: string): string;
}

/** The code of a RetryLater: the permission to read the secret is missing, or still propagating. */
export const SECRET_DENIED = 'TIDINGS_SECRET_DENIED';
