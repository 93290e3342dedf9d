/**
 * The active faults, and which of them apply to a request, by target, count and probability.
 * Does not inject them itself.
 */
import type { Random } from '../people/random.ts';
import type { Viewer } from '../resources/resource.ts';
import type { FaultName, Faults } from '../switches.ts';

export interface FaultTarget {
  readonly resource: string;
  readonly method: string;
  /** Whether it is a list without a filter. */
  readonly unfiltered: boolean;
}

/** Parameters of a list that filter nothing. */
const NO_FILTERS = ['sortfield', 'sortdir', 'offset', 'limit'];

/** What faults are aimed at. The resource is '' when the path names none. */
export function targetOf(method: string, url: URL): FaultTarget {
  const [resource = '', id] = url.pathname.split('/').filter((segment) => segment !== '');
  const isFiltered = [...url.searchParams.keys()].some((name) => !NO_FILTERS.includes(name));
  return { resource, method, unfiltered: method === 'GET' && id === undefined && !isFiltered };
}

/** What the token sees while faults hide a project, a row of a list or the names of groups, or change its role. */
export function limitSight<V extends Viewer & { readonly token: string }>(
  viewer: V,
  faults: ActiveFaults,
  { method, url }: { readonly method: string; readonly url: URL },
): V {
  const target = targetOf(method, url);
  const { filter } = faults.settings.missingRow ?? {};
  const isFiltered = filter !== undefined && url.searchParams.has(filter);
  const { role } = faults.settings;
  const isOfToken = role?.token === undefined || role.token === viewer.token;
  return {
    ...viewer,
    hiddenProject: faults.match('lostProject', target)?.project,
    missingRow: isFiltered ? faults.match('missingRow', target)?.id : undefined,
    seesNoGroupNames: faults.match('unnamedGroup', target) !== undefined,
    role: (isOfToken ? faults.match('role', target)?.to : undefined) ?? viewer.role,
  };
}

export class ActiveFaults {
  readonly #random: Random;
  #faults: Faults = {};

  constructor(random: Random) {
    this.#random = random;
  }

  /** Active faults with their remaining counts. */
  get settings(): Readonly<Faults> {
    return this.#faults;
  }

  /** Switches the named faults on or, with undefined, off; leaves the others unchanged. */
  set(faults: { [Name in FaultName]?: Faults[Name] | undefined }): void {
    const next: Record<string, unknown> = { ...this.#faults };
    for (const [name, setting] of Object.entries(faults)) {
      if (setting === undefined) delete next[name];
      else next[name] = { ...setting };
    }
    this.#faults = next;
  }

  clear(): void {
    this.#faults = {};
  }

  /** Returns the setting of a fault if it applies to this request, and counts it. */
  match<Name extends Exclude<FaultName, 'lateModified'>>(name: Name, target: FaultTarget): Faults[Name] | undefined {
    const fault = this.#faults[name];
    if (fault === undefined) return undefined;
    const { resource, method, unfiltered = false, count, probability } = fault;
    if (resource !== undefined && ![resource].flat().includes(target.resource)) return undefined;
    if (method !== undefined && method.toUpperCase() !== target.method) return undefined;
    if (unfiltered && !target.unfiltered) return undefined;
    if (probability !== undefined && !this.#random.chance(probability)) return undefined;
    if (count !== undefined) {
      if (count <= 0) return undefined;
      this.set({ [name]: count === 1 ? undefined : { ...fault, count: count - 1 } });
    }
    return fault;
  }
}
