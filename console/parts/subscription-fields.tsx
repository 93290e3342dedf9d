/** The fields of a subscription: its receiver, which events, and further settings. */

import type { Child, FC } from 'hono/jsx';
import type { ChannelWay } from '../../adapters/channels/channel-form.ts';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { traitsOf } from '../../core/ports/channel.ts';
import { type ChannelField, channelFields, DROP, hasStored, WHO, wayOf } from '../channel-fields.ts';
import { modeOf } from '../filter-form.ts';
import type { FormChoices } from '../form-choices.ts';
import type { FormText } from '../form-text.ts';
import { ErrorSummary, type FormErrors, SelectField, TextField } from './field.tsx';
import { FilterFields, QueryField } from './filter-fields.tsx';

interface SubscriptionFieldsProps {
  readonly form: FormText;
  readonly errors: FormErrors;
  readonly choices: FormChoices;
  /** The subscription that is edited. @default - a new one */
  readonly known?: Subscription;
}

export const SubscriptionFields: FC<SubscriptionFieldsProps> = ({ form, errors, choices, known }) => {
  const channel = known?.to.channel ?? form.get('channel') ?? '';
  const isQuery = modeOf(form) === 'query';
  return (
    <>
      <ErrorSummary errors={errors} />
      <h2>Who gets it</h2>
      <ReceiverFields form={form} errors={errors} channel={channel} known={known} />
      <div class="heading">
        <h2>What it brings</h2>
        <p class="buttons">
          <button class="quiet" type="submit" name="do" value={isQuery ? 'fields' : 'query'}>
            {isQuery ? 'Use the form instead' : 'Write it as a query instead'}
          </button>
        </p>
      </div>
      <input type="hidden" name="mode" value={modeOf(form)} />
      {isQuery ? (
        <QueryField form={form} errors={errors} choices={choices} />
      ) : (
        <FilterFields
          form={form}
          errors={errors}
          choices={choices}
          hasTiming={traitsOf(channelRegistry, { channel }).gathers}
        />
      )}
      <h2>More</h2>
      {known === undefined ? (
        <TextField
          name="name"
          label="Name of the subscription"
          isOptional
          hint="Letters, digits and dashes. Without one, it gets a name."
          placeholder="overdue-to-ops"
          value={form.get('name') ?? ''}
          errors={errors}
        />
      ) : null}
      <MoreFields form={form} errors={errors} channel={channel} />
      <TemplateFields form={form} errors={errors} channel={channel} />
    </>
  );
};

/** Of a channel with several kinds of receivers, the style sheet shows the fields of the chosen kind. */
const ReceiverFields: FC<ChannelProps & { readonly known?: Subscription }> = ({ form, errors, channel, known }) => {
  const fields = channelFields(channel);
  const ways = channelRegistry.get(channel)?.form.ways ?? [];
  const chosen = wayOf(channel, form, known?.to.settings);
  const props = { form, errors, known };
  const isShared = ({ path: [key = ''] }: ChannelField) => ways.filter((way) => hasKey(way, key)).length !== 1;
  return (
    <>
      {ways.length === 0 ? null : (
        <fieldset class="field ways">
          <legend>How</legend>
          {ways.map((way) => (
            <>
              <label class="choice">
                <input type="radio" name="way" value={way.key} checked={way === chosen} /> {way.label}
              </label>
              <div class="chosen-fields">
                {fields
                  .filter((field) => !isShared(field) && field.isMain && hasKey(way, field.path[0] ?? ''))
                  .map((field) => (
                    <SettingField {...props} field={field} />
                  ))}
              </div>
            </>
          ))}
        </fieldset>
      )}
      {ways.length > 0
        ? null
        : fields.filter(({ isMain }) => isMain).map((field) => <SettingField {...props} field={field} />)}
      <FurtherSettings {...props} fields={fields.filter(({ isMain }) => !isMain)} />
    </>
  );
};

const hasKey = ({ key, also }: ChannelWay, one: string) => key === one || also.includes(one);

const FurtherSettings: FC<FormProps & { readonly fields: readonly ChannelField[]; readonly known?: Subscription }> = ({
  fields,
  ...props
}) => {
  const { form, errors } = props;
  if (fields.length === 0) return null;
  return (
    <Further
      title="More about the receiver"
      isOpen={fields.some(({ name }) => hasText(form, name) || errors.has(name))}
    >
      {fields.map((field) => (
        <SettingField {...props} field={field} />
      ))}
    </Further>
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
  const { name, label, hint, example, kind, options, optionLabels, isSecret, isRequired, isMain } = field;
  const props = {
    name,
    label,
    errors,
    hint: hint === '' ? undefined : hint,
    isOptional: !isMain,
    value: form.get(name) ?? '',
  };
  const choices = options.map((one) => [one, optionLabels[one] ?? one] as const);
  const none = [['', optionLabels[''] ?? '–']] as const;
  if (kind === 'choice' || kind === 'flag') {
    return <SelectField {...props} options={isRequired ? choices : [...none, ...choices]} />;
  }
  if (kind === 'lines' && options.length > 0) {
    const who = `${name}${WHO}`;
    return (
      <div class="role-or-list">
        <SelectField {...props} name={who} value={form.get(who) ?? ''} options={[...choices, ...none]} />
        <TextField {...props} label="Addresses" hint="One in each line." rows={2} placeholder={example} />
      </div>
    );
  }
  if (kind === 'lines' || kind === 'pairs') return <TextField {...props} rows={2} placeholder={example} />;
  if (!hasStored(field, known?.to.settings)) {
    return <TextField {...props} type={isSecret ? 'password' : 'text'} placeholder={example} />;
  }
  return (
    <>
      <TextField {...props} type="password" placeholder="stored: leave empty to keep it" />
      {isRequired || isMain ? null : (
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
