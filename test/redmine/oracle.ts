/** What Redmine's own database says has happened: creations and journals, in the words of our model. Shares no code with the adapter. */

import type { RedmineServer } from './server.ts';

/** A change of one issue that must have been emitted once. */
export interface ExpectedChange {
  readonly issue: string;
  readonly kind: 'created' | 'updated';
  readonly by: string;
  /** `2026-11-17T09:02:33` */
  readonly at: string;
  /** The new values by field, as JSON. */
  readonly values: Readonly<Record<string, string>>;
  /** Whether it closed or reopened the issue. */
  readonly state: 'closed' | 'reopened' | null;
}

const text = (value: unknown) => (value === null || value === '' ? null : String(value));
const FIELDS: Readonly<Record<string, readonly [field: string, read: (value: unknown) => unknown]>> = {
  subject: ['title', text],
  status_id: ['statusid', text],
  priority_id: ['priorityid', text],
  project_id: ['projectid', text],
  tracker_id: ['x_trackerid', text],
  assigned_to_id: ['assigneeid', (value) => (text(value) === null ? [] : [text(value)])],
  due_date: ['datedue', text],
  done_ratio: ['x_done_ratio', Number],
  estimated_hours: ['estimate', (value) => Number(value ?? 0)],
  is_private: ['x_private', (value) => value === '1'],
};

const instant = (value: unknown) => String(value).slice(0, 19).replace(' ', 'T');

export function readExpected({ database }: RedmineServer, issueIds?: readonly string[]): readonly ExpectedChange[] {
  const closed = new Set(
    database
      .prepare('SELECT id FROM issue_statuses WHERE is_closed = 1')
      .all()
      .map(({ id }) => String(id)),
  );
  const wanted = (id: unknown) => issueIds === undefined || issueIds.includes(String(id));
  const created = database
    .prepare('SELECT id, author_id, created_on FROM issues ORDER BY id')
    .all()
    .filter(({ id }) => wanted(id))
    .map(({ id, author_id, created_on }): ExpectedChange => {
      return {
        issue: String(id),
        kind: 'created',
        by: String(author_id),
        at: instant(created_on),
        values: {},
        state: null,
      };
    });
  const details = database
    .prepare(
      `SELECT j.id AS journal, j.journalized_id AS issue, j.user_id, j.created_on, d.prop_key, d.old_value, d.value
       FROM journals j JOIN journal_details d ON d.journal_id = j.id
       WHERE j.journalized_type = 'Issue' AND d.property = 'attr' ORDER BY j.id, d.id`,
    )
    .all()
    .filter(({ issue }) => wanted(issue));
  const journals = Map.groupBy(details, ({ journal }) => journal);
  const updated = [...journals.values()].map((rows): ExpectedChange => {
    const values: Record<string, string> = {};
    let state: ExpectedChange['state'] = null;
    for (const { prop_key, old_value, value } of rows) {
      const [field, read] = FIELDS[String(prop_key)] ?? [`unknown ${prop_key}`, text];
      values[field] = JSON.stringify(read(value));
      if (prop_key !== 'status_id') continue;
      const [was, is] = [closed.has(String(old_value)), closed.has(String(value))];
      state = was === is ? null : is ? 'closed' : 'reopened';
    }
    const [first] = rows;
    const at = instant(first?.created_on);
    return { issue: String(first?.issue), kind: 'updated', by: String(first?.user_id), at, values, state };
  });
  return [...created, ...updated];
}
