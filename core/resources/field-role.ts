/** The role of a field in comparisons: that of the field table or, where the API documents no fields, the one its name implies. */

import type { FieldRole } from './field.ts';
import type { Resource } from './resource.ts';

/** The start of the names of fields that the model does not have. A change of them is news. */
export const BEYOND_MODEL = 'x_';

export type FieldRoles = Pick<Resource, 'fields' | 'unknown'>;

export function roleOf(
  { fields, unknown }: FieldRoles,
  field: string,
  record: Readonly<Record<string, unknown>>,
): FieldRole {
  // Checked by `hasOwn`, because every object inherits members such as `constructor`.
  const spec = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (spec !== undefined) return spec.role;
  // A source carries what it has beyond the model in these fields.
  if (unknown !== 'watch' && !field.startsWith(BEYOND_MODEL)) return 'volatile';
  return isJoined(field, record) ? 'label' : 'watched';
}

/**
 * Whether the value belongs to another record: `project` and `projectlocalid` beside `projectid`, `owners` beside `ownerid`. So
 * does the client of a record with a project, because the client belongs to the project.
 */
export function isJoined(field: string, record: Readonly<Record<string, unknown>>): boolean {
  const has = (id: string) => Object.hasOwn(record, id);
  if (field === 'clientid') return has('projectid');
  if (has(`${field}id`)) return true;
  if (field.endsWith('localid')) return field !== 'localid' && has(`${field.slice(0, -'localid'.length)}id`);
  return field.endsWith('s') && has(`${field.slice(0, -1)}id`);
}
