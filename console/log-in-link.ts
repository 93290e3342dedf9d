/** Makes log-in links of the console, and ends all sessions. The command line and `serve` call it; no page does. */

import {
  type ConsolePass,
  hashPassToken,
  LINK_LIFETIME,
  makePassToken,
  PASS_TOKEN_BYTES,
} from '../core/model/console-pass.ts';
import { plus } from '../core/model/time.ts';
import { recordChange } from '../core/ports/audit-store.ts';
import type { ApiPorts } from '../manage/api/http/api-ports.ts';
import type { Caller } from '../manage/api/http/caller.ts';
import { CONSOLE_PATH } from './paths.ts';

export type LinkPorts = Pick<ApiPorts, 'consolePasses' | 'audit' | 'clock' | 'randomBytes'>;

/** @param base the address of the server: `http://127.0.0.1:4020` */
export async function makeLogInLink(
  ports: LinkPorts,
  caller: Caller,
  base: string,
  scope: ConsolePass['scope'] = 'admin',
): Promise<string> {
  const token = makePassToken(ports.randomBytes(PASS_TOKEN_BYTES));
  const createdAt = ports.clock.now();
  await ports.consolePasses.save({
    hash: hashPassToken('link', token),
    kind: 'link',
    person: caller.name ?? caller.id,
    scope,
    createdAt,
    expiresAt: plus(createdAt, LINK_LIFETIME),
  });
  await recordChange(ports, caller, { action: 'console.link_made', target: 'console', details: { scope } });
  return `${base.replace(/\/+$/, '')}${CONSOLE_PATH}/log-in?token=${token}`;
}

/** Returns how many links and sessions ended. */
export async function endAllSessions(ports: LinkPorts, caller: Caller): Promise<number> {
  const count = await ports.consolePasses.removeAll();
  await recordChange(ports, caller, { action: 'console.sessions_ended', target: 'console', details: { count } });
  return count;
}
