/** Port: turns a reference such as `${OPS_SECRET}` or `file:/run/secrets/ops` into the secret, at the moment of use. */

export interface Secrets {
  /** Throws GiveUp naming the reference, never the value, when it cannot be found. */
  resolve(reference: string): Promise<string>;
  /** Keeps a new secret in a place of our own and returns the reference to it. */
  keep(name: string, secret: string): Promise<string>;
}
