/** Which events a subscription asks for: a query, or fields for event types, content and times. */

import type { FC } from 'hono/jsx';
import type { EventType } from '../../core/events/event-type.ts';
import { WEEKDAYS } from '../../core/model/subscription.ts';
import type { FormText } from '../subscription-form.ts';
import { type FormErrors, SelectField, TextField } from './field.tsx';

interface FormProps {
  readonly form: FormText;
  readonly errors: FormErrors;
}

interface FilterProps extends FormProps {
  readonly types: readonly EventType[];
}

export const QueryField: FC<FilterProps> = ({ form, errors, types }) => (
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
    <TypeList types={types} />
  </>
);

/** All event types by resource, for copying. */
const TypeList: FC<{ readonly types: readonly EventType[] }> = ({ types }) => {
  const byResource = Map.groupBy(types, ({ type }) => type.slice(0, type.indexOf('.')));
  return (
    <details class="further">
      <summary>All event types</summary>
      <dl class="facts types">
        {[...byResource].map(([resource, own]) => (
          <>
            <dt>{resource}</dt>
            <dd>
              {own.map(({ type }) => (
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
};

export const FilterFields: FC<FilterProps> = ({ form, errors, types }) => {
  const value = (name: string) => form.get(name) ?? '';
  return (
    <>
      <TextField
        name="events"
        label="Event types"
        hint="One in each line; * stands for any characters."
        rows={3}
        placeholder="task.overdue"
        value={value('events')}
        errors={errors}
      />
      <TypeList types={types} />
      <TextField
        name="where"
        label="Filter"
        isOptional
        hint="An EventBridge pattern as JSON."
        rows={5}
        placeholder={'{ "data": { "record": { "project": ["Website relaunch"] } } }'}
        value={value('where')}
        errors={errors}
      />
      <TextField
        name="digest.at"
        label="One message at"
        isOptional
        hint="Without a time, each is sent at once."
        type="time"
        value={value('digest.at')}
        errors={errors}
      />
      <Days name="digest.days" label="On these days" form={form} errors={errors} />
      <SelectField
        name="digest.list"
        label="It lists"
        isOptional
        value={value('digest.list')}
        options={[
          ['', 'default: by event type'],
          ['open', 'everything that is open then'],
          ['new', 'what is new since the last one'],
        ]}
        errors={errors}
      />
      <SelectField
        name="digest.groupBy"
        label="Grouped by"
        isOptional
        value={value('digest.groupBy')}
        options={[
          ['', 'default: project'],
          ['project', 'project'],
          ['person', 'person'],
        ]}
        errors={errors}
      />
      <TextField
        name="quiet.from"
        label="Nothing from"
        isOptional
        type="time"
        value={value('quiet.from')}
        errors={errors}
      />
      <TextField
        name="quiet.until"
        label="Nothing until"
        isOptional
        type="time"
        value={value('quiet.until')}
        errors={errors}
      />
      <Days name="quiet.days" label="Nothing on these days" form={form} errors={errors} />
    </>
  );
};

const Days: FC<FormProps & { readonly name: string; readonly label: string }> = ({ form, errors, name, label }) => {
  const chosen = (form.get(name) ?? '').split('\n');
  return (
    <fieldset id={`f-${name}`} class={errors.has(name) ? 'field is-wrong' : 'field'}>
      <legend>
        {label} <span class="soft">optional</span>
      </legend>
      {errors.has(name) ? <p class="wrong">{errors.get(name)?.join(' ')}</p> : null}
      <div class="choices">
        {WEEKDAYS.map((day) => (
          <label class="choice">
            <input type="checkbox" name={name} value={day} checked={chosen.includes(day)} /> {day}
          </label>
        ))}
      </div>
    </fieldset>
  );
};
