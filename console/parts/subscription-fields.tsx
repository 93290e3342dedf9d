/** The fields of a subscription: its receiver, which events, and further settings. */

import type { Child, FC } from 'hono/jsx';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import type { EventType } from '../../core/events/event-type.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { traitsOf } from '../../core/ports/channel.ts';
import { type ChannelField, channelFields, DROP, hasStored } from '../channel-fields.ts';
import { type FormText, modeOf } from '../subscription-form.ts';
import { ErrorSummary, type FormErrors, SelectField, TextField } from './field.tsx';
import { FilterFields, QueryField } from './filter-fields.tsx';

interface SubscriptionFieldsProps {
  readonly form: FormText;
  readonly errors: FormErrors;
  readonly types: readonly EventType[];
  /** The subscription that is edited. @default - a new one */
  readonly known?: Subscription;
}

export const SubscriptionFields: FC<SubscriptionFieldsProps> = ({ form, errors, types, known }) => {
  const channel = known?.to.channel ?? form.get('channel') ?? '';
  const fields = channelFields(channel);
  const further = fields.filter(({ isMain }) => !isMain);
  const isOpen = [...errors.keys()].some((name) => further.some((field) => field.name === name));
  const props = { form, errors, known };
  return (
    <>
      <ErrorSummary errors={errors} />
      {known === undefined ? (
        <TextField
          name="name"
          label="Name"
          isOptional
          hint="Letters, digits and dashes. Without one, it gets a name."
          placeholder="overdue-to-ops"
          value={form.get('name') ?? ''}
          errors={errors}
        />
      ) : null}
      <h2>Receiver</h2>
      {fields
        .filter(({ isMain }) => isMain)
        .map((field) => (
          <SettingField {...props} field={field} />
        ))}
      {further.length === 0 ? null : (
        <Further title="More about the receiver" isOpen={isOpen || further.some(({ name }) => hasText(form, name))}>
          {further.map((field) => (
            <SettingField {...props} field={field} />
          ))}
        </Further>
      )}
      <h2>Events</h2>
      <input type="hidden" name="mode" value={modeOf(form)} />
      {modeOf(form) === 'query' ? (
        <QueryField form={form} errors={errors} types={types} />
      ) : (
        <FilterFields form={form} errors={errors} types={types} />
      )}
      <h2>More</h2>
      <MoreFields form={form} errors={errors} channel={channel} />
      <TemplateFields form={form} errors={errors} channel={channel} />
    </>
  );
};

const hasText = (form: FormText, name: string) => (form.get(name) ?? '') !== '';

const Further: FC<{ readonly title: string; readonly isOpen: boolean; readonly children?: Child }> = ({
  title,
  isOpen,
  children,
}) => (
  <details class="further" open={isOpen}>
    <summary>{title}</summary>
    {children}
  </details>
);

interface FormProps {
  readonly form: FormText;
  readonly errors: FormErrors;
}

const SettingField: FC<FormProps & { readonly field: ChannelField; readonly known?: Subscription }> = ({
  form,
  errors,
  field,
  known,
}) => {
  const { name, label, hint, kind, options, isSecret, isRequired, isMain } = field;
  const props = { name, label, errors, hint, isOptional: !isMain, value: form.get(name) ?? '' };
  if (kind === 'choice' || kind === 'flag') {
    const choices = options.map((one) => [one, one] as const);
    return <SelectField {...props} options={isRequired ? choices : [['', '–'], ...choices]} />;
  }
  if (kind === 'lines') return <TextField {...props} rows={2} placeholder="one in each line" />;
  if (kind === 'pairs') return <TextField {...props} rows={2} placeholder="name: value" />;
  if (!hasStored(field, known?.to.settings)) return <TextField {...props} type={isSecret ? 'password' : 'text'} />;
  return (
    <>
      <TextField {...props} type="password" placeholder="stored: leave empty to keep it" />
      {isRequired ? null : (
        <label class="choice">
          <input type="checkbox" name={`${DROP}${name}`} value="yes" checked={hasText(form, `${DROP}${name}`)} /> Remove
          the stored {label.toLowerCase()}
        </label>
      )}
    </>
  );
};

interface ChannelProps extends FormProps {
  readonly channel: string;
}

const MoreFields: FC<ChannelProps> = ({ form, errors, channel }) => {
  const { gathers } = traitsOf(channelRegistry, { channel });
  const names = ['timeZone', 'rate', 'concurrency', ...(gathers ? ['gather', 'dayStartsAt'] : [])];
  const isOpen = names.some((name) => hasText(form, name) || errors.has(name));
  const field = (name: string, label: string, hint: string, placeholder: string) => (
    <TextField
      name={name}
      label={label}
      isOptional
      hint={hint}
      placeholder={placeholder}
      value={form.get(name) ?? ''}
      errors={errors}
    />
  );
  return (
    <Further title="Time zone and pace" isOpen={isOpen}>
      {field(
        'timeZone',
        'Time zone',
        'Of times in messages and of schedules. Without one: that of the account.',
        'Europe/Berlin',
      )}
      {gathers ? field('gather', 'Collect events for', 'What happens within this time is one message.', '30s') : null}
      {gathers
        ? field('dayStartsAt', 'Start of the day', 'What a new day brings is sent then. off: at midnight.', '08:00')
        : null}
      {field('rate', 'Maximum rate', 'Messages in a time.', '30/m')}
      {field('concurrency', 'Maximum concurrent requests', 'A whole number.', '1')}
    </Further>
  );
};

const TemplateFields: FC<ChannelProps> = ({ form, errors, channel }) => {
  const parts = Object.entries(traitsOf(channelRegistry, { channel }).templateParts);
  const names = parts.map(([part]) => `template.${part}`);
  const isOpen = names.some((name) => hasText(form, name) || errors.has(name));
  if (parts.length === 0) return null;
  return (
    <Further title="Your own words: templates" isOpen={isOpen}>
      {parts.map(([part, { summary, form: shape }]) => (
        <TextField
          name={`template.${part}`}
          label={`Template: ${part}`}
          isOptional
          hint={`Replaces ${summary}. ${shape === 'json' ? 'JSON, in which each text is a Liquid template.' : 'Liquid, such as {{ record.title }}.'}`}
          rows={shape === 'line' ? 1 : 4}
          value={form.get(`template.${part}`) ?? ''}
          errors={errors}
        />
      ))}
    </Further>
  );
};
