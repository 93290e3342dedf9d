/** The conditions of a filter: rows with a field, a comparison and a value, or a pattern that no rows can say. */

import type { FC } from 'hono/jsx';
import type { FieldWithValues } from '../../manage/api/filter-fields.ts';
import { type ConditionRow, joinerBefore, needsValue, operatorsOf } from '../condition-rows.ts';
import { contentModeOf, rowsOf } from '../filter-form.ts';
import type { FormChoices } from '../form-choices.ts';
import type { FormText } from '../form-text.ts';
import { type FormErrors, TextField } from './field.tsx';
import { Icon } from './icon.tsx';

interface ConditionFieldsProps {
  readonly form: FormText;
  readonly errors: FormErrors;
  readonly choices: FormChoices;
}

export const ConditionFields: FC<ConditionFieldsProps> = ({ form, errors, choices }) => {
  const mode = contentModeOf(form);
  return (
    <fieldset id="conditions" class="field conditions" tabindex={-1}>
      <legend>
        Conditions <span class="soft">optional</span>
      </legend>
      <input type="hidden" name="content" value={mode} />
      {mode === 'rows' ? (
        <Rows form={form} errors={errors} choices={choices} />
      ) : (
        <Pattern form={form} errors={errors} />
      )}
    </fieldset>
  );
};

const Rows: FC<ConditionFieldsProps> = ({ form, errors, choices: { fields, rowFields } }) => {
  const rows = rowsOf(form);
  const common = fields.filter(({ isCommon }) => isCommon);
  const others = fields.filter(({ isCommon }) => !isCommon);
  return (
    <>
      {rows.map((row, index) => (
        <Row row={row} rows={rows} index={index} field={rowFields.get(row.key)} errors={errors} />
      ))}
      {[...rowFields.values()].map(({ key, values }) =>
        values.length === 0 ? null : (
          <datalist id={`values-${key}`}>
            {values.map((value) => (
              <option value={value} />
            ))}
          </datalist>
        ),
      )}
      <div class="add-condition" id="add-condition">
        <label for="f-add.key">{rows.length === 0 ? 'Only if' : 'And only if, or another value'}</label>
        <select id="f-add.key" name="add.key">
          <option value="">choose a field</option>
          <Options title="Often used" fields={common} />
          <Options title="All fields" fields={others} />
        </select>
        <button type="submit" name="do" value="add" data-swap="conditions">
          Add a condition
        </button>
        <button class="quiet" type="submit" name="do" value="pattern" data-swap="conditions">
          Write it as JSON
        </button>
      </div>
    </>
  );
};

const Options: FC<{ readonly title: string; readonly fields: readonly FieldWithValues[] }> = ({ title, fields }) =>
  fields.length === 0 ? null : (
    <optgroup label={title}>
      {fields.map(({ key, label }) => (
        <option value={key}>{label}</option>
      ))}
    </optgroup>
  );

interface RowProps {
  readonly row: ConditionRow;
  readonly rows: readonly ConditionRow[];
  readonly index: number;
  readonly field: FieldWithValues | undefined;
  readonly errors: FormErrors;
}

const Row: FC<RowProps> = ({ row: { key, operator, value }, rows, index, field, errors }) => {
  const name = `condition.${index}`;
  const { label = key, values = [], kind = 'text', isComparable = true } = field ?? {};
  const wrong = errors.get(`${name}.value`);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset in a fieldset would need a legend of its own
    <div
      class={wrong === undefined ? 'condition' : 'condition is-wrong'}
      role="group"
      aria-label={`Condition: ${label}`}
    >
      <span class="joiner">{joinerBefore(index, rows)}</span>
      <b class="condition-field">{label}</b>
      <input type="hidden" name={`${name}.key`} value={key} />
      <select id={`f-${name}.operator`} name={`${name}.operator`} aria-label={`${label}: how to compare`}>
        {operatorsOf({ kind, isComparable }, operator).map(([one, words]) => (
          <option value={one} selected={one === operator} data-no-value={needsValue(one) ? undefined : ''}>
            {words}
          </option>
        ))}
      </select>
      <input
        id={`f-${name}.value`}
        name={`${name}.value`}
        type={kind === 'date' && /^(\d{4}-\d{2}-\d{2})?$/.test(value) ? 'date' : 'text'}
        inputmode={kind === 'number' ? 'decimal' : undefined}
        value={value}
        list={values.length === 0 ? undefined : `values-${key}`}
        placeholder={values.length === 0 ? undefined : 'choose or write'}
        aria-label={`${label}: value`}
        aria-invalid={wrong === undefined ? undefined : 'true'}
        aria-describedby={wrong === undefined ? undefined : `e-${name}.value`}
        autocomplete="off"
      />
      <button
        class="quiet"
        type="submit"
        name="do"
        value={`remove.${index}`}
        aria-label={`Remove the condition ${label}`}
        data-swap="conditions"
      >
        Remove
      </button>
      {wrong === undefined ? null : (
        <p class="wrong" id={`e-${name}.value`}>
          <Icon name="late" /> {wrong.join(' ')}
        </p>
      )}
    </div>
  );
};

const Pattern: FC<Pick<ConditionFieldsProps, 'form' | 'errors'>> = ({ form, errors }) => (
  <>
    <TextField
      name="where"
      label="Conditions as JSON"
      isOptional
      hint="A pattern in the language of EventBridge, for what rows cannot say."
      rows={6}
      placeholder={'{ "data": { "record": { "project": ["Website relaunch"] } } }'}
      value={form.get('where') ?? ''}
      errors={errors}
    />
    <button class="quiet" type="submit" name="do" value="rows" data-swap="conditions">
      Show it as rows
    </button>
  </>
);
