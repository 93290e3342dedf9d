/** References to other records as many APIs write them: an object with the id and the name. Pure. */

import { isJsonObject } from '../../core/model/json.ts';

/** `{ id, name }` of another record; null where there is none. */
export interface NamedReference {
  readonly id: string | null;
  readonly name: string | null;
}

export function referenceIn(value: unknown): NamedReference {
  if (!isJsonObject(value)) return { id: null, name: null };
  const { id, name } = value;
  return { id: id === undefined || id === null ? null : String(id), name: typeof name === 'string' ? name : null };
}

/** The model has lists where some APIs have one reference. */
export const idsOf = ({ id }: NamedReference): readonly string[] => (id === null ? [] : [id]);
export const namesOf = ({ name }: NamedReference): readonly string[] => (name === null ? [] : [name]);
