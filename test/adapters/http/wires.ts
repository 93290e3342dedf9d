/** All that posts can travel over. What goes through a wire is tested over each of them, and none may be told from another. */

import { openNodeWire } from '../../../adapters/http/node/node-wire.ts';
import { openUndiciWire } from '../../../adapters/http/undici-wire.ts';

export const WIRES = [
  ['undici', openUndiciWire],
  ['Node', openNodeWire],
] as const;
