/** Fields of forms with their hints and errors beside them. An invalid form is shown again with its input. */

import type { Child, FC } from 'hono/jsx';
import type { FieldError } from '../../manage/api/http/problem.ts';
import { Icon } from './icon.tsx';

/** The messages about each field, by its name; `` (empty) for the form as a whole. */
export type FormErrors = ReadonlyMap<string, readonly string[]>;

export const NO_ERRORS: FormErrors = new Map();

interface FormErrorsOptions {
  /** Whether the first error about a field is enough. @default false */
  readonly isFirstOnly?: boolean;
}

/** @param nameOf the name of the field that a pointer of the management API is about */
export function toFormErrors(
  errors: readonly FieldError[],
  nameOf: (pointer: string) => string,
  { isFirstOnly = false }: FormErrorsOptions = {},
): FormErrors {
  const byName = Map.groupBy(errors, ({ pointer }) => nameOf(pointer));
  return new Map(
    [...byName].map(([name, own]) => {
      const details = [...new Set(own.map(({ detail }) => asSentence(detail)))];
      return [name, isFirstOnly && name !== 'query' ? details.slice(0, 1) : details];
    }),
  );
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  /** @default - none */
  readonly hint?: Child;
  readonly errors: FormErrors;
  /** The control. Its attributes are those of `controlAttributes`. */
  readonly children?: Child;
  /** @default - required */
  readonly isOptional?: boolean;
}

const FormField: FC<FieldProps> = ({ name, label, hint, errors, isOptional, children }) => {
  const own = errors.get(name) ?? [];
  return (
    <div class={own.length === 0 ? 'field' : 'field is-wrong'}>
      <label for={`f-${name}`}>
        {label} {isOptional === true ? <span class="soft">optional</span> : null}
      </label>
      {hint === undefined ? null : (
        <p class="hint" id={`h-${name}`}>
          {hint}
        </p>
      )}
      {own.length === 0 ? null : (
        <p class="wrong" id={`e-${name}`}>
          <Icon name="late" /> {own.join(' ')}
        </p>
      )}
      {children}
    </div>
  );
};

/** The attributes that connect a control with its label, hint and errors. */
function controlAttributes({ name, hint, errors }: Pick<FieldProps, 'name' | 'hint' | 'errors'>) {
  const isWrong = errors.has(name);
  const describedBy = [...(hint === undefined ? [] : [`h-${name}`]), ...(isWrong ? [`e-${name}`] : [])];
  return {
    id: `f-${name}`,
    name,
    'aria-invalid': isWrong ? 'true' : undefined,
    'aria-describedby': describedBy.length === 0 ? undefined : describedBy.join(' '),
  } as const;
}

interface TextFieldProps extends Omit<FieldProps, 'children'> {
  readonly value: string;
  /** @default text */
  readonly type?: 'text' | 'password' | 'url' | 'email' | 'date' | 'time' | 'number';
  /** Several lines. @default - one line */
  readonly rows?: number;
  readonly placeholder?: string;
  /** Suggestions: the id of a `datalist`. @default - none */
  readonly list?: string;
}

export const TextField: FC<TextFieldProps> = ({ value, type = 'text', rows, placeholder, list, ...field }) => (
  <FormField {...field}>
    {rows === undefined ? (
      <input
        {...controlAttributes(field)}
        type={type}
        value={value}
        placeholder={placeholder}
        list={list}
        autocomplete="off"
        spellcheck={false}
        autocapitalize="off"
      />
    ) : (
      <textarea {...controlAttributes(field)} rows={rows} placeholder={placeholder} spellcheck={false}>
        {/* Browsers leave out the first line break. */}
        {`\n${value}`}
      </textarea>
    )}
  </FormField>
);

interface SelectFieldProps extends Omit<FieldProps, 'children'> {
  readonly value: string;
  readonly options: readonly (readonly [value: string, label: string])[];
}

export const SelectField: FC<SelectFieldProps> = ({ value, options, ...field }) => (
  <FormField {...field}>
    <select {...controlAttributes(field)}>
      {options.map(([one, label]) => (
        <option value={one} selected={one === value}>
          {label}
        </option>
      ))}
    </select>
  </FormField>
);

/** All errors of a form, with links to their fields. */
export const ErrorSummary: FC<{ readonly errors: FormErrors }> = ({ errors }) =>
  errors.size === 0 ? null : (
    <div class="callout" role="alert" tabindex={-1} data-focus>
      <p>
        <b>{errors.size === 1 ? 'One thing to change' : `${errors.size} things to change`}</b>
      </p>
      <ul>
        {[...errors].map(([name, messages]) => (
          <li>{name === '' ? messages.join(' ') : <a href={`#f-${name}`}>{messages.join(' ')}</a>}</li>
        ))}
      </ul>
    </div>
  );

function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? '' : '.'}`;
}
