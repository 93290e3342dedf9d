/** A value of a record, as text of bounded length. Longer text can be opened. */

import type { FC } from 'hono/jsx';
import { listOf } from '../../core/events/facts.ts';
import type { Value } from '../../core/model/record.ts';

const SHORT_LENGTH = 280;
const MAX_LENGTH = 8000;

export const ShownValue: FC<{ readonly value: unknown }> = ({ value }) => {
  const text = toText(value);
  if (text === '') return <span class="soft">nothing</span>;
  if (text.length <= SHORT_LENGTH) return <bdi class="value">{text}</bdi>;
  const cut = text.length > MAX_LENGTH ? `… (${text.length.toLocaleString('en')} characters)` : '';
  return (
    <details class="long">
      <summary>
        <bdi class="value">{wellFormed(text.slice(0, SHORT_LENGTH))}…</bdi>
      </summary>
      <bdi class="value">
        {wellFormed(text.slice(0, MAX_LENGTH))}
        {cut}
      </bdi>
    </details>
  );
};

function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every((item) => typeof item === 'string' || typeof item === 'number')) {
    return listOf(value as Value).join(', ');
  }
  return wellFormed(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Half of a surrogate pair cannot be encoded. */
const wellFormed = (text: string) => text.toWellFormed();
