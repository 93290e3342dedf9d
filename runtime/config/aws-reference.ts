/**
 * References to secrets in AWS: `ssm:/path` of Parameter Store, `secret:name` or `secret:name#key` of Secrets Manager. Reads
 * their text, and resolves nothing.
 */

export type AwsReference =
  | { readonly store: 'ssm'; readonly name: string }
  | { readonly store: 'secret'; readonly name: string; readonly key?: string };

/** As AWS lets them be named: what is no name there cannot be found there, and a star would open every other one. */
const SSM = /^ssm:(\/[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)*)$/;
const SECRET = /^secret:([A-Za-z0-9/_+=.@-]+)(?:#(.+))?$/;

/** Undefined for text that is no such reference. */
export function awsReference(text: string): AwsReference | undefined {
  const [, parameter] = SSM.exec(text) ?? [];
  if (parameter !== undefined) return { store: 'ssm', name: parameter };
  const [, name, key] = SECRET.exec(text) ?? [];
  if (name === undefined) return undefined;
  return { store: 'secret', name, ...(key === undefined ? {} : { key }) };
}
