/** What the commands do with sources that are kept in the data: on the stores of a directory or a stack, or through the API. */

import { randomBytes } from 'node:crypto';
import { UsageError } from '../../core/model/errors.ts';
import type { TidingsClient } from '../../kit/client.ts';
import { Problem } from '../../manage/api/http/problem.ts';
import { viewCheck } from '../../manage/api/source-routes.ts';
import {
  addSource,
  type CheckedSource,
  changeSource,
  type GivenToken,
  getSourceSettings,
  removeSource,
  type SourcePorts,
  type SourceSettingsView,
} from '../../manage/api/source-settings.ts';
import { MANAGED_TOKEN_PREFIX } from '../../runtime/aws/deployed-stores.ts';
import type { Config } from '../../runtime/config/config.ts';
import type { SourceSettings } from '../../runtime/config/validate-source.ts';
import { dataFileOf } from '../../runtime/embedded/data-directory.ts';
import { openServiceSecrets } from '../../runtime/embedded/open-data-secrets.ts';
import type { Stores } from '../../runtime/inspect/stores.ts';
import type { Context, Location } from '../context.ts';
import { operatorOf } from '../operator.ts';

export interface ShownSource extends SourceSettingsView {
  /** What the check found. @default - it was not checked now */
  readonly check?: ReturnType<typeof viewCheck>;
}

export interface SourceOperations {
  add(settings: SourceSettings, token: GivenToken): Promise<ShownSource>;
  change(name: string, patch: SourceSettings, token: GivenToken | undefined): Promise<ShownSource>;
  show(name: string): Promise<ShownSource>;
  /** Its records stay. */
  remove(name: string): Promise<void>;
}

interface LocalSources {
  readonly location: Location;
  readonly context: Context;
  readonly open: (make?: boolean) => Promise<Stores>;
  /** With the sources in effect. */
  readonly readConfig: (make?: boolean) => Promise<Config>;
}

export function localSourceOperations({ location, context, open, readConfig }: LocalSources): SourceOperations {
  const author = operatorOf(context);
  const openPorts = async (make = false): Promise<SourcePorts> => {
    const config = await readConfig(make);
    const stores = await open(make);
    const { clock, environment } = context;
    const mode = location.aws === undefined ? 'embedded' : 'aws';
    return { ...stores, config, clock, environment, randomBytes, mode, ...tokenPorts(config, stores) };
  };
  /** Sealed with the master secret of a data directory. In AWS a parameter of the stack, as a rotated secret. */
  const tokenPorts = (config: Config, { secrets }: Stores): Pick<SourcePorts, 'keepToken' | 'resolveToken'> => {
    if (location.aws !== undefined)
      return {
        keepToken: (name, token) => secrets.keep(`${MANAGED_TOKEN_PREFIX}${name}`, token),
        resolveToken: secrets.resolve,
      };
    const file = { file: dataFileOf(location.data), report: context.terminal.err };
    const secretsHere = openServiceSecrets(config, file, context.environment);
    return { keepToken: (_, token) => secretsHere.seal(token), resolveToken: (one) => secretsHere.resolve(one) };
  };
  const toShown = ({ view, check }: CheckedSource): ShownSource => ({ ...view, check: viewCheck(check) });
  return {
    add: async (settings, token) =>
      toShown(await addSource(await openPorts(true), author, settings, token).catch(toUsageError)),
    change: async (name, patch, token) =>
      toShown(await changeSource(await openPorts(), author, name, patch, { token }).catch(toUsageError)),
    show: async (name) => (await getSourceSettings(await openPorts(), name).catch(toUsageError)).view,
    remove: async (name) => removeSource(await openPorts(), author, name).catch(toUsageError),
  };
}

function toUsageError(error: unknown): never {
  throw error instanceof Problem ? new UsageError(error.code, error.message) : error;
}

export function apiSourceOperations(client: TidingsClient): SourceOperations {
  const literalOf = (token: GivenToken): string => {
    if ('value' in token) return token.value;
    throw new UsageError(
      'TIDINGS_API_UNSUPPORTED',
      '--token-ref: not available with --api, which must not read secrets of the operator for a caller; give the token itself',
    );
  };
  type Input = Parameters<TidingsClient['createSource']>[0];
  type Patch = Parameters<TidingsClient['patchSource']>[1];
  return {
    add: (settings, token) =>
      client.createSource({ ...settings, token: literalOf(token) } as unknown as Input) as Promise<ShownSource>,
    change: (name, patch, token) => {
      const change = { ...patch, ...(token === undefined ? {} : { token: literalOf(token) }) };
      return client.patchSource(name, change as unknown as Patch) as Promise<ShownSource>;
    },
    show: (name) => client.getSourceSettings(name) as Promise<ShownSource>,
    remove: (name) => client.deleteSource(name),
  };
}
