/** A secret in the only response that shows it. */

import type { FC } from 'hono/jsx';
import { Icon } from './icon.tsx';

interface SecretOnceProps {
  readonly label: string;
  readonly secret: string;
  readonly hint: string;
  /** The page to go on with. */
  readonly next: string;
}

export const SecretOnce: FC<SecretOnceProps> = ({ label, secret, hint, next }) => (
  <section class="card once">
    <p class="callout">
      <Icon name="late" /> Copy it now: it is shown once.
    </p>
    <h2>{label}</h2>
    <p>
      <code id="secret" class="secret" tabindex={0}>
        {secret}
      </code>
    </p>
    <p class="soft">{hint}</p>
    <p class="buttons">
      <button class="only-script" type="button" data-copy="secret">
        Copy
      </button>
      <a class="button" href={next}>
        I have copied it
      </a>
    </p>
  </section>
);
