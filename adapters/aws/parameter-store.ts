/** Parameter Store as far as we ask it. What a parameter means is for those who ask. */

import { type By, type JsonServiceOptions, jsonService } from './json-service.ts';

export interface ParameterStore {
  /** The value, decrypted where it was encrypted. Undefined where the answer holds none. */
  get(name: string, by: By): Promise<string | undefined>;
  /** As an encrypted parameter. Rejects where there is one of that name. */
  put(
    parameter: { readonly name: string; readonly value: string; readonly description: string },
    by: By,
  ): Promise<void>;
}

export function parameterStore(options: Pick<JsonServiceOptions, 'client' | 'endpoint'>): ParameterStore {
  const ask = jsonService({ ...options, service: 'ssm', target: 'AmazonSSM' });
  return {
    async get(name, by) {
      const {
        body: { Parameter },
      } = await ask('GetParameter', { Name: name, WithDecryption: true }, by);
      const found =
        typeof Parameter === 'object' && Parameter !== null && 'Value' in Parameter ? Parameter.Value : null;
      return typeof found === 'string' ? found : undefined;
    },
    async put({ name, value, description }, by) {
      await ask('PutParameter', { Name: name, Value: value, Type: 'SecureString', Description: description }, by);
    },
  };
}
