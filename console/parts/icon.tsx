/** Icons as inline SVG in the colour of the text. A word beside each says the same. */

import type { FC } from 'hono/jsx';

/** Paths on a grid of 16 × 16, drawn with lines. */
const PATHS = {
  ok: 'M3 8.5l3.2 3.2L13 4.8',
  bad: 'M4 4l8 8M12 4l-8 8',
  late: 'M8 2.5l6 10.5H2zM8 6.5v3M8 11.2v.1',
  soon: 'M8 2a6 6 0 1 0 .01 0M8 4.8V8l2.2 1.6',
  good: 'M3 8.5l3.2 3.2L13 4.8',
  plain: 'M8 7.9v.2',
  wait: 'M8 2a6 6 0 1 0 .01 0M8 4.8V8l2.2 1.6',
  held: 'M6 4v8M10 4v8',
  none: 'M4 8h8',
  send: 'M2.5 8h9M8 4.5L11.5 8 8 11.5',
  open: 'M6 3h7v7M13 3L4 12',
  back: 'M13 8H4M7.5 4.5L4 8l3.5 3.5',
  brand: 'M2 9.5c2 0 2-4 4-4s2 6 4 6 2-4 4-4',
} as const;

export type IconName = keyof typeof PATHS;

export const Icon: FC<{ readonly name: IconName }> = ({ name }) => (
  <svg class={`icon icon-${name}`} viewBox="0 0 16 16" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);
