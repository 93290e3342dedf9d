/** The pages with the form of a subscription: for a new one, for one that is edited, and the notice of a conflict. */

import type { Child, FC } from 'hono/jsx';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import type { FormChoices } from '../form-choices.ts';
import type { FormResult } from '../form-result.ts';
import type { FormText } from '../form-text.ts';
import { Csrf, Layout } from '../layout.tsx';
import type { PageContext } from '../page-context.ts';
import { Icon } from '../parts/icon.tsx';
import { SubscriptionFields } from '../parts/subscription-fields.tsx';
import { SubscriptionPreview } from '../parts/subscription-preview.tsx';
import { pathTo, subscriptionPath } from '../paths.ts';

export const Conflict: FC<{ readonly name: string; readonly sentence: string }> = ({ name, sentence }) => (
  <div class="callout" role="alert" tabindex={-1} data-focus>
    <p>
      <b>Changed by someone else</b> since you opened this form. Nothing was saved. Your input is below.
    </p>
    <p>
      It now says: <bdi>{sentence}</bdi>
    </p>
    <p>
      <a href={subscriptionPath(name, 'edit')}>Discard your input</a>, or save again to replace it.
    </p>
  </div>
);

interface PageProps {
  readonly page: PageContext;
  readonly form: FormText;
  readonly result: FormResult;
  readonly choices: FormChoices;
}

export const NewPage: FC<PageProps> = ({ page, form, result, choices }) => {
  const label = channelRegistry.get(form.get('channel') ?? '')?.label ?? '';
  return (
    <Layout page={page} title="New subscription" section="subscriptions">
      <p class="back">
        <a href={pathTo('/subscriptions/new')}>
          <Icon name="back" /> Another channel
        </a>
      </p>
      <h1>New subscription: {label}</h1>
      <EditForm
        page={page}
        form={form}
        result={result}
        choices={choices}
        action={pathTo('/subscriptions/new')}
        save="Make the subscription"
      >
        <input type="hidden" name="channel" value={form.get('channel') ?? ''} />
        <input type="hidden" name="seed" value={form.get('seed') ?? ''} />
      </EditForm>
    </Layout>
  );
};

export const EditPage: FC<PageProps & { readonly known: Subscription; readonly conflict?: Child }> = ({
  page,
  form,
  result,
  choices,
  known,
  conflict,
}) => (
  <Layout page={page} title={`Edit ${known.name}`} section="subscriptions">
    <p class="back">
      <a href={subscriptionPath(known.name)}>
        <Icon name="back" /> <bdi>{known.name}</bdi>
      </a>
    </p>
    <h1>
      Edit <bdi>{known.name}</bdi>
    </h1>
    {conflict ?? null}
    <EditForm
      page={page}
      form={form}
      result={result}
      choices={choices}
      action={subscriptionPath(known.name, 'edit')}
      save="Save"
      known={known}
    >
      <input type="hidden" name="etag" value={form.get('etag') ?? ''} />
    </EditForm>
  </Layout>
);

interface EditFormProps extends PageProps {
  readonly action: string;
  readonly save: string;
  readonly known?: Subscription;
  readonly children?: Child;
}

const EditForm: FC<EditFormProps> = ({ page, form, result, choices, action, save, known, children }) => (
  <div class="form-columns">
    <form class="card" method="post" action={action} data-preview="preview">
      {/* Enter in a field presses the first button. */}
      <button hidden type="submit" name="do" value="save">
        {save}
      </button>
      <Csrf page={page} />
      {children}
      <SubscriptionFields form={form} errors={result.errors} choices={choices} known={known} />
      <p class="buttons">
        <button class="main" type="submit" name="do" value="save">
          {save}
        </button>
        <button type="submit" name="do" value="preview">
          Check and preview
        </button>
      </p>
    </form>
    <SubscriptionPreview page={page} form={form} result={result} known={known} />
  </div>
);
