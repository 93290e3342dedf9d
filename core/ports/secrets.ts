/** Port: turns a reference such as `${OPS_SECRET}` or `file:/run/secrets/ops` into the secret, at the moment of use. */

export interface ResolveOptions {
  /** Asks the place itself, whatever is remembered of it. @default false */
  readonly fresh?: boolean;
}

export interface Secrets {
  /** Throws GiveUp naming the reference, never the value, when it cannot be found; RetryLater when it may yet be. */
  resolve(reference: string, options?: ResolveOptions): Promise<string>;
  /** Keeps a new secret in a place of our own and returns the reference to it. */
  keep(name: string, secret: string): Promise<string>;
}

/** The code of a RetryLater: the right to read a secret is missing, or not known everywhere yet. */
export const SECRET_DENIED = 'TIDINGS_SECRET_DENIED';
