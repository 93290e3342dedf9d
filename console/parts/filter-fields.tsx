/** Which events a subscription asks for, and when: as controls, or as a query for those who like to type. */

import type { FC } from 'hono/jsx';
import type { FormChoices } from '../form-choices.ts';
import type { FormText } from '../form-text.ts';
import { ConditionFields } from './condition-fields.tsx';
import { type FormErrors, TextField } from './field.tsx';
import { TimingFields } from './timing-fields.tsx';
import { TypeTree } from './type-tree.tsx';

interface FilterFieldsProps {
  readonly form: FormText;
  readonly errors: FormErrors;
  readonly choices: FormChoices;
  /** Whether the channel collects events, so that there are digests and quiet hours. */
  readonly hasTiming: boolean;
}

export const FilterFields: FC<FilterFieldsProps> = ({ form, errors, choices, hasTiming }) => (
  <>
    <TypeTree form={form} errors={errors} groups={choices.groups} />
    <ConditionFields form={form} errors={errors} choices={choices} />
    {hasTiming ? <TimingFields form={form} errors={errors} zone={choices.zone} /> : null}
  </>
);

export const QueryField: FC<Pick<FilterFieldsProps, 'form' | 'errors' | 'choices'>> = ({ form, errors, choices }) => (
  <>
    <TextField
      name="query"
      label="Query"
      hint="Event types, conditions, and when."
      rows={2}
      placeholder={'task.overdue project:"Website relaunch" daily 08:30'}
      value={form.get('query') ?? ''}
      errors={errors}
    />
    {/* A query cannot say these. */}
    {['digest.list', 'digest.groupBy'].map((name) => (
      <input type="hidden" name={name} value={form.get(name) ?? ''} />
    ))}
    <details class="further">
      <summary>How to write it</summary>
      <dl class="facts">
        <dt>
          <code>task.overdue invoice.*</code>
        </dt>
        <dd>these event types; * stands for any characters</dd>
        <dt>
          <code>project:"Website relaunch"</code>
        </dt>
        <dd>only of this project; the same word twice means either</dd>
        <dt>
          <code>-status:Draft</code>
        </dt>
        <dd>not with this value</dd>
        <dt>
          <code>{'total>=500'}</code>
        </dt>
        <dd>compares numbers and dates</dd>
        <dt>
          <code>daily 08:30 mon-fri</code>
        </dt>
        <dd>one message a day with all of them</dd>
        <dt>
          <code>quiet 18:00-08:00</code>
        </dt>
        <dd>nothing in these hours: it is sent afterwards</dd>
      </dl>
    </details>
    <TypeList choices={choices} />
  </>
);

/** All event types by resource, for copying. */
const TypeList: FC<Pick<FilterFieldsProps, 'choices'>> = ({ choices: { groups } }) => (
  <details class="further">
    <summary>All event types</summary>
    <dl class="facts types">
      {groups.map(({ title, types }) => (
        <>
          <dt>{title}</dt>
          <dd>
            {types.map(({ type }) => (
              <>
                <code>{type}</code>{' '}
              </>
            ))}
          </dd>
        </>
      ))}
    </dl>
  </details>
);
