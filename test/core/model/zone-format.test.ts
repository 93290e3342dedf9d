/** What is kept for time zones: a key may write one zone in millions of ways, and each of their formats takes 30 KB. */

import { afterEach, describe, expect, it, vi } from 'vitest';
import { formatInstant } from '../../../console/parts/moment.tsx';
import { formatZonedTime } from '../../../core/events/phrases.ts';
import { greetingAt } from '../../../core/messages/chat-card.ts';
import { compileText, renderWithinLimits } from '../../../core/messages/template-engine.ts';
import { atTimeOfDay, isTimeZone, startOfDay } from '../../../core/model/calendar.ts';
import { createZoneFormat, MAX_ZONES } from '../../../core/model/zone-format.ts';
import { formatMoment } from '../../../runtime/terminal/dates.ts';

const NAME = 'america/argentina/comodrivadavia';
const AT = '2026-11-18T04:00:00.000Z';

/** The zone in another mix of capitals for each number. */
function spell(number: number): string {
  let bits = number;
  return NAME.replaceAll(/[a-z]/g, (letter) => {
    const isCapital = bits % 2 === 1;
    bits = Math.floor(bits / 2);
    return isCapital ? letter.toUpperCase() : letter;
  });
}

const template = compileText('{{ time | day }}', 'plain', { time: undefined });

const USES: Readonly<Record<string, (zone: string) => unknown>> = {
  isTimeZone,
  startOfDay: (zone) => startOfDay(zone, '2026-11-18'),
  atTimeOfDay: (zone) => atTimeOfDay(zone, '2026-11-18', '08:30'),
  formatZonedTime: (zone) => formatZonedTime(AT, zone),
  greetingAt: (zone) => greetingAt(AT, zone),
  'a time of the console': (zone) => formatInstant(AT, zone, 'moment'),
  'a time of the terminal': (zone) => formatMoment(zone, AT),
  'the filter day': (timeZone) =>
    renderWithinLimits({ timeZone, at: AT }, (rendering) => rendering.text(template, { time: AT })),
};

describe('what is kept for time zones', () => {
  afterEach(() => vi.restoreAllMocks());

  it.each(Object.entries(USES))('%s forgets zones that were used long ago', (_, use) => {
    const made = vi.spyOn(Intl, 'DateTimeFormat');
    const expected = use(spell(0));
    const count = made.mock.calls.length;
    expect(use(spell(0))).toEqual(expected);
    expect(made.mock.calls.length, 'kept at first').toBe(count);
    for (let number = 1; number <= MAX_ZONES; number++) use(spell(number));
    const before = made.mock.calls.length;
    expect(use(spell(0))).toEqual(expected);
    expect(made.mock.calls.length, 'made again').toBeGreaterThan(before);
  });

  it('throws for an unknown zone each time', () => {
    const formatOf = createZoneFormat('en-GB', { hour: '2-digit' });
    expect(() => formatOf('Europe/Nowhere')).toThrow(RangeError);
    expect(() => formatOf('Europe/Nowhere')).toThrow(RangeError);
    expect(isTimeZone('Europe/Nowhere')).toBe(false);
  });
});
