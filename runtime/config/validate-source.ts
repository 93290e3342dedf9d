/** Validates one source that is added while Tidings runs: the checks of a config with this source alone. */

import { ConfigError, type ConfigProblem } from '../../core/model/errors.ts';
import { HIDDEN_CHARACTER } from '../../core/model/hidden-characters.ts';
import { isNestedDeeper } from '../../core/model/json.ts';
import type { Mode } from '../../core/model/mode.ts';
import type { Config, Environment, SourceConfig } from './config.ts';
import { parseTree } from './load.ts';

/** One entry of `sources` in a config. */
export type SourceSettings = Readonly<Record<string, unknown>>;

interface ValidateSourceOptions {
  readonly mode: Mode;
  readonly network: Config['network'];
  /** Only references to secrets use it. */
  readonly environment: Environment;
}

type ValidatedSource =
  | { readonly source: SourceConfig }
  /** Paths are those in the settings: `resources.task`. */
  | { readonly problems: readonly ConfigProblem[] };

const MAX_NESTING = 16;

/** No kind has as many. Each unknown one costs a search for a similar name. */
const MAX_RESOURCES = 200;

/** A token that is given itself is not part of the validation: the caller stores it, and refers to it. */
const GIVEN_TOKEN: Readonly<Record<Mode, string>> = { embedded: 'given', aws: 'ssm:/given' };

/** @param settings with the reference to the token, or without a token if it is given itself */
export function validateSource(
  settings: SourceSettings,
  { mode, network, environment }: ValidateSourceOptions,
): ValidatedSource {
  if (isNestedDeeper(settings, MAX_NESTING))
    return { problems: [{ path: '', message: `expected at most ${MAX_NESTING} levels of nesting` }] };
  const refused = [
    ...findVariables(settings),
    ...findCredentials(settings),
    ...findHiddenCharacters(settings),
    ...findTooMany(settings),
  ];
  if (refused.length > 0) return { problems: refused };
  const source = { token: GIVEN_TOKEN[mode], ...settings };
  try {
    const { allowHttp, allow } = network;
    const [validated] = parseTree('source', { source, network: { allowHttp, allow } }, environment, mode).sources;
    if (validated !== undefined) return { source: validated };
    return { problems: [{ path: '', message: 'expected a source' }] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { problems: error.problems.map(({ path, message }) => ({ path: path.replace(/^source\.?/, ''), message })) };
  }
}

/** The values of variables are the operator's: the address of a source must not carry one of them elsewhere. */
function findVariables(settings: SourceSettings): readonly ConfigProblem[] {
  return Object.entries(settings).flatMap(([path, value]) =>
    path === 'token' || !JSON.stringify(value ?? null).includes('${')
      ? []
      : [{ path, message: 'expected a value without ${…}: variables belong to the config of the operator' }],
  );
}

/** The address is shown and recorded. */
function findCredentials({ baseUrl }: SourceSettings): readonly ConfigProblem[] {
  const { username = '', password = '' } = (typeof baseUrl === 'string' ? URL.parse(baseUrl) : null) ?? {};
  if (username === '' && password === '') return [];
  return [
    { path: 'baseUrl', message: 'expected a URL without a user and a password: the token is a setting of its own' },
  ];
}

/** It is shown, also in terminals. */
function findHiddenCharacters({ baseUrl }: SourceSettings): readonly ConfigProblem[] {
  if (typeof baseUrl !== 'string' || !HIDDEN_CHARACTER.test(baseUrl)) return [];
  return [{ path: 'baseUrl', message: 'expected a URL in visible characters' }];
}

function findTooMany({ resources }: SourceSettings): readonly ConfigProblem[] {
  const count = Object.keys(Object(resources)).length;
  if (count <= MAX_RESOURCES) return [];
  return [{ path: 'resources', message: `expected at most ${MAX_RESOURCES} resources, got ${count}` }];
}
