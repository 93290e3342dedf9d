/** The form of a source: a new one, or one that was added before. */

import type { FC } from 'hono/jsx';
import { Csrf } from '../layout.tsx';
import type { PageContext } from '../page-context.ts';
import { pathTo, sourcePath } from '../paths.ts';
import { ErrorSummary, type FormErrors, TextField } from './field.tsx';

export type SourceFormValues = ReadonlyMap<string, string>;

interface SourceFormProps {
  readonly page: PageContext;
  readonly form: SourceFormValues;
  readonly errors: FormErrors;
  /** The source to change. @default - a new one */
  readonly source?: string;
}

const TOKEN_HINT = 'Tidings sees what the user of this token sees. It is stored encrypted and not shown again.';

export const SourceForm: FC<SourceFormProps> = ({ page, form, errors, source }) => (
  <form
    class="card stack"
    id={source === undefined ? 'new' : undefined}
    method="post"
    action={source === undefined ? pathTo('/sources') : sourcePath(source)}
  >
    {source === undefined ? <h2>New source</h2> : null}
    <ErrorSummary errors={errors} />
    <Csrf page={page} />
    {source === undefined ? (
      <TextField
        name="name"
        label="Name"
        hint="The name of the account in every event."
        value={form.get('name') ?? ''}
        placeholder="north"
        errors={errors}
      />
    ) : null}
    <TextField
      name="baseUrl"
      label="Base URL of the API"
      value={form.get('baseUrl') ?? ''}
      placeholder="https://work.example.com/api"
      errors={errors}
    />
    <TextField
      name="token"
      label="API token"
      isOptional={source !== undefined}
      hint={
        source === undefined ? TOKEN_HINT : `Empty: the stored one stays. A new address needs a token. ${TOKEN_HINT}`
      }
      type="password"
      value=""
      errors={errors}
    />
    <TextField
      name="timeZone"
      label="Time zone"
      isOptional
      hint="Default: the zone of the token's user."
      value={form.get('timeZone') ?? ''}
      placeholder="Europe/Berlin"
      errors={errors}
    />
    <p class="buttons">
      <button class="main" type="submit">
        {source === undefined ? 'Check and add the source' : 'Check and save the changes'}
      </button>
    </p>
  </form>
);
