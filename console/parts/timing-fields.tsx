/** When messages are sent: at once or as a digest, and the quiet hours and days. */

import type { FC } from 'hono/jsx';
import { DAY_NAMES, WEEKDAYS } from '../../core/model/subscription.ts';
import { type FormText, linesOf } from '../form-text.ts';
import { type FormErrors, SelectField, TextField } from './field.tsx';
import { Icon } from './icon.tsx';

interface TimingFieldsProps {
  readonly form: FormText;
  readonly errors: FormErrors;
}

/** @param zone of the account: the times are in it, unless the subscription has its own */
export const TimingFields: FC<TimingFieldsProps & { readonly zone: string }> = ({ form, errors, zone: ofAccount }) => {
  const value = (name: string) => form.get(name) ?? '';
  const zone = value('timeZone') === '' ? ofAccount : value('timeZone');
  const isDigest = value('timing') === 'digest';
  return (
    <>
      {/* The style sheet shows the fields of a choice that is made. */}
      <fieldset class="field timing">
        <legend>When</legend>
        <label class="choice">
          <input type="radio" name="timing" value="now" checked={!isDigest} /> At once; what happens in the same half
          minute is one message
        </label>
        <label class="choice">
          <input type="radio" name="timing" value="digest" checked={isDigest} /> One message a day, a digest
        </label>
        <div class="chosen-fields">
          <TextField
            name="digest.at"
            label="Time"
            hint={`In ${zone}.`}
            type="time"
            value={value('digest.at')}
            errors={errors}
          />
          <Days name="digest.days" label="Days" form={form} errors={errors} />
          <SelectField
            name="digest.list"
            label="It lists"
            value={value('digest.list')}
            options={[
              ['', 'what is still overdue or due, and what is new (default)'],
              ['open', 'everything that is open then'],
              ['new', 'what is new since the last one'],
            ]}
            errors={errors}
          />
          <SelectField
            name="digest.groupBy"
            label="Under the headings of"
            value={value('digest.groupBy')}
            options={[
              ['', 'projects (default)'],
              ['project', 'projects'],
              ['person', 'people'],
            ]}
            errors={errors}
          />
        </div>
      </fieldset>
      <fieldset class="field quiet-times">
        <legend>
          Quiet times <span class="soft">optional</span>
        </legend>
        <p class="hint">What happens then is sent afterwards. Times are in {zone}.</p>
        <label class="choice">
          <input type="checkbox" name="quiet.hours" value="yes" checked={value('quiet.hours') === 'yes'} /> Quiet hours
        </label>
        <div class="chosen-fields two">
          <TextField name="quiet.from" label="From" type="time" value={value('quiet.from')} errors={errors} />
          <TextField name="quiet.until" label="Until" type="time" value={value('quiet.until')} errors={errors} />
        </div>
        <Days name="quiet.days" label="Quiet days" form={form} errors={errors} />
      </fieldset>
    </>
  );
};

const Days: FC<TimingFieldsProps & { readonly name: string; readonly label: string }> = ({
  form,
  errors,
  name,
  label,
}) => {
  const chosen = linesOf(form, name);
  const wrong = errors.get(name);
  return (
    <fieldset id={`f-${name}`} class={wrong === undefined ? 'field' : 'field is-wrong'} tabindex={-1}>
      <legend>{label}</legend>
      {wrong === undefined ? null : (
        <p class="wrong">
          <Icon name="late" /> {wrong.join(' ')}
        </p>
      )}
      <div class="choices">
        {WEEKDAYS.map((day) => (
          <label class="choice day">
            <input type="checkbox" name={name} value={day} checked={chosen.includes(day)} />{' '}
            <abbr title={DAY_NAMES[day]}>{DAY_NAMES[day].slice(0, 3)}</abbr>
          </label>
        ))}
      </div>
    </fieldset>
  );
};
