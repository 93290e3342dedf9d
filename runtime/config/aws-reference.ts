/**
 * Parses references to secrets in AWS: `ssm:/path` for Parameter Store, `secret:name` or `secret:name#key` for Secrets
 * Manager, or their ARNs in place of names, which may be of another account. Does not resolve them.
 */

export type AwsReference =
  | { readonly store: 'ssm'; readonly name: string }
  | { readonly store: 'secret'; readonly name: string; readonly key?: string };

/** Only names that AWS accepts. The names end up in IAM policies, where a `*` would grant access to every secret. */
const SSM = /^ssm:((?:arn:aws[\w-]*:ssm:[a-z0-9-]+:\d{12}:parameter)?\/[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)*)$/;
const SECRET = /^secret:((?:arn:aws[\w-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:)?[A-Za-z0-9/_+=.@-]+)(?:#(.+))?$/;

/** Undefined for any other text. */
export function awsReference(text: string): AwsReference | undefined {
  const [, parameter] = SSM.exec(text) ?? [];
  if (parameter !== undefined) return { store: 'ssm', name: parameter };
  const [, name, key] = SECRET.exec(text) ?? [];
  if (name === undefined) return undefined;
  return { store: 'secret', name, ...(key === undefined ? {} : { key }) };
}
