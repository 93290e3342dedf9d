/** The pages with the form of a subscription: for a new one, for one that is edited, and the notice of a conflict. */

import type { Child, FC } from 'hono/jsx';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { knownTypes } from '../../manage/api/event-types.ts';
import type { FormResult } from '../form-result.ts';
import { Csrf, Layout } from '../layout.tsx';
import type { PageContext } from '../page-context.ts';
import { Icon } from '../parts/icon.tsx';
import { SubscriptionFields } from '../parts/subscription-fields.tsx';
import { SubscriptionPreview } from '../parts/subscription-preview.tsx';
import { pathTo, subscriptionPath } from '../paths.ts';
import { type FormText, modeOf } from '../subscription-form.ts';

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
}

export const NewPage: FC<PageProps> = ({ page, form, result }) => {
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

const EditForm: FC<EditFormProps> = ({ page, form, result, action, save, known, children }) => (
  <div class="form-columns">
    <form class="card" method="post" action={action} data-preview="preview">
      <Csrf page={page} />
      {children}
      <SubscriptionFields form={form} errors={result.errors} types={knownTypes(page.api.config)} known={known} />
      <p class="buttons">
        <button class="main" type="submit" name="do" value="save">
          {save}
        </button>
        <button type="submit" name="do" value="preview">
          Check and preview
        </button>
        {/* Not before the others: Enter in a field presses the first button. */}
        <button class="quiet" type="submit" name="do" value={modeOf(form) === 'query' ? 'fields' : 'query'}>
          {modeOf(form) === 'query' ? 'Use separate fields' : 'Use a query'} instead
        </button>
      </p>
    </form>
    <SubscriptionPreview page={page} form={form} result={result} known={known} />
  </div>
);
