/**
 * The quota of capacity units of DynamoDB: what the requests of a key may consume in a time, in AWS. Units are charged while a request runs, so
 * that a long one stops. One that has begun to change something is not stopped: what it takes beyond the quota is a debt, and the next
 * request waits until it is paid back.
 */

import { formatRate } from '../../../core/model/rate.ts';
import type { Rate } from '../../../core/model/subscription.ts';
import { type Duration, formatDuration, SECOND } from '../../../core/model/time.ts';
import type { BucketSize } from '../../../core/model/token-bucket.ts';
import type { UnitUse } from '../../../core/ports/unit-meter.ts';
import type { ApiPorts } from './api-ports.ts';
import { type Caller, seesAll } from './caller.ts';
import { Problem } from './problem.ts';
import { quotasOf } from './quotas.ts';

/** Fewer are not charged yet, since each charge costs 6 itself. A process that ends forgets them. */
const MIN_CHARGE_UNITS = 200;

/** What exceeds a debt of ten times the quota is forgotten. */
const MAX_DEBT = 10;

/** The part of the quota that has to be free again at least before a refused request is repeated: with less it would hardly begin. */
const MIN_REPEAT_SHARE = 0.1;

type UnitPorts = Pick<ApiPorts, 'config' | 'requestLimiter' | 'clock' | 'unitMeter' | 'mayGoOn'>;

const bucketOf = ({ count, per }: Rate): BucketSize => ({
  interval: per / count,
  burst: count,
  debt: MAX_DEBT * count,
});

const nameOfBucket = ({ id }: Pick<Caller, 'id'>) => `${id} units`;

/** Those that are not charged yet, by bucket. The limiter is the same object as long as an installation is open. */
const uncharged = new WeakMap<object, Map<string, number>>();

/** Of the quota, and seconds: exact numbers would count what a caller may not see, since to read it takes units as well. */
const SHOWN_SHARE = 0.1;
const SHOWN_SECONDS = 15;

/** The limit of the key, and what it uses now, as it may know it. Null where it has no limit. */
export async function readShownUnits(api: UnitPorts, caller: Caller) {
  const units = await readUnits(api, caller);
  if (units === null || seesAll(caller)) return units;
  const step = Math.max(1, Math.ceil(units.limit * SHOWN_SHARE));
  return { ...units, used: Math.floor(units.used / step) * step };
}

async function readUnits(api: UnitPorts, caller: Caller) {
  if (api.unitMeter === undefined || caller.kind !== 'key') return null;
  const { count, per } = quotasOf(api.config, caller).units;
  const size = bucketOf({ count, per });
  const used = await api.requestLimiter.used(nameOfBucket(caller), size, api.clock.now());
  return { limit: count, per: formatDuration(per), burst: size.burst, used };
}

/** Throws 429 while the key has used up its units. */
export async function assertUnits(api: UnitPorts, caller: Caller): Promise<void> {
  const units = await readUnits(api, caller);
  const rate = quotasOf(api.config, caller).units;
  if (units === null || units.used < units.burst) return;
  throw unitsUsedUp(caller, rate, (units.used - units.burst) * bucketOf(rate).interval);
}

/**
 * Runs a request whose units are charged to its key.
 * @param isReading whether it changes nothing, so that it may be stopped before any read
 */
export async function withinUnits<Ports extends UnitPorts, T>(
  api: Ports,
  caller: Caller,
  isReading: boolean,
  run: (api: Ports) => Promise<T>,
): Promise<T> {
  if (api.unitMeter === undefined || caller.kind !== 'key') return run(api);
  const { use, waitForUnits, assertUnitsLeft } = chargeUnits(api, caller);
  let isBegun = false;
  const mayGoOn = (rest?: Duration) => {
    // What was read for a change is lost unless it makes a part of it.
    const hasUnits = !isBegun || waitForUnits() === 0;
    isBegun = true;
    return hasUnits && api.mayGoOn?.(rest) !== false;
  };
  return api.unitMeter.run({ ...use, beforeRead: isReading ? use.beforeRead : () => {} }, () =>
    run({ ...api, mayGoOn, assertUnitsLeft }),
  );
}

function chargeUnits({ config, requestLimiter, clock }: UnitPorts, caller: Caller) {
  const rate = quotasOf(config, caller).units;
  const { interval, burst, debt = 0 } = bucketOf(rate);
  const name = nameOfBucket(caller);
  const open = uncharged.get(requestLimiter) ?? new Map<string, number>();
  uncharged.set(requestLimiter, open);
  let isCharging = false;
  let spent = 0;
  let wait: Duration = 0;

  const assertUnitsLeft = () => {
    // It was stopped, so it takes more than that.
    if (wait > 0) throw unitsUsedUp(caller, rate, wait, 2 * spent);
  };
  const charge = async (units: number) => {
    // One token as large as all of them.
    const size = { interval: interval * units, burst: burst / units, debt: debt / units };
    try {
      wait = await requestLimiter.charge(name, size, clock.now());
    } catch {
      // The request has been made, whatever becomes of its charge. The next one charges it.
      open.set(name, (open.get(name) ?? 0) + units);
    }
  };
  const count = async (units: number) => {
    spent += units;
    const all = (open.get(name) ?? 0) + units;
    open.set(name, all);
    // The requests of a charge are counted, too.
    if (isCharging || all < MIN_CHARGE_UNITS) return;
    isCharging = true;
    open.delete(name);
    await charge(all);
    isCharging = false;
  };
  const use: UnitUse = { count, beforeRead: () => !isCharging && assertUnitsLeft() };
  return { use, waitForUnits: () => wait, assertUnitsLeft };
}

/** @param needed units of the request. @default - unknown */
function unitsUsedUp(caller: Caller, rate: Rate, debt: Duration, needed = 0): Problem {
  const share = Math.min(1, Math.max(MIN_REPEAT_SHARE, needed / rate.count));
  const step = seesAll(caller) ? 1 : SHOWN_SECONDS;
  const seconds = String(Math.max(1, Math.ceil((debt + share * rate.per) / SECOND / step)) * step);
  const detail = `the requests of this key may take ${formatRate(rate)} units of the database: wait ${seconds} s, and ask for shorter periods or smaller pages`;
  return new Problem(429, 'TIDINGS_API_QUOTA', { detail, headers: { 'retry-after': seconds } });
}
