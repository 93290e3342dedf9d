/** A state as an icon and a word: colour is never the only sign. */

import type { Child, FC } from 'hono/jsx';
import { Icon, type IconName } from './icon.tsx';

type Tone = 'good' | 'late' | 'soon' | 'plain';

export interface StatusProps {
  readonly tone: Tone;
  readonly icon: IconName;
  readonly word: Child;
}

export const Status: FC<StatusProps> = ({ tone, icon, word }) => (
  <span class={`status ${tone}`}>
    <Icon name={icon} /> {word}
  </span>
);
