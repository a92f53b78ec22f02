import { describe, expect, test } from 'vitest';
import { cronTimes } from './schedule-times.ts';

const next = (cron: string, zone: string, after: string, count: number): string[] => {
  const times: string[] = [];
  let time: number | null = Date.parse(after);
  while (times.length < count) {
    time = cronTimes(cron, zone).next(time as number);
    if (time === null) break;
    times.push(new Date(time).toISOString().replace(':00.000Z', 'Z'));
  }
  return times;
};

test('[Q13] the next time is after the given one, never the same', () => {
  expect(next('0 12 * * *', 'UTC', '2026-05-01T12:00:00Z', 1)).toEqual(['2026-05-02T12:00Z']);
  expect(next('0 12 * * *', 'UTC', '2026-05-01T11:59:59.999Z', 1)).toEqual(['2026-05-01T12:00Z']);
  expect(next('*/20 * * * * *', 'UTC', '2026-05-01T11:59:30Z', 2)).toEqual([
    '2026-05-01T11:59:40.000Z',
    '2026-05-01T12:00Z',
  ]);
});

describe('[Q13] where clocks change', () => {
  test.each([
    // Forward at 1:00 UTC, from 2:00 to 3:00: 2:30 does not exist.
    [
      'Europe/Berlin',
      '30 2 * * *',
      '2026-03-28T12:00Z',
      ['2026-03-29T01:00Z', '2026-03-30T00:30Z'],
    ],
    // Back at 1:00 UTC, from 3:00 to 2:00: 2:30 occurs at 0:30 and at 1:30 UTC.
    [
      'Europe/Berlin',
      '30 2 * * *',
      '2026-10-24T12:00Z',
      ['2026-10-25T00:30Z', '2026-10-26T01:30Z'],
    ],
    // Forward at 7:00 UTC, back at 6:00 UTC.
    [
      'America/New_York',
      '30 2 * * *',
      '2026-03-07T12:00Z',
      ['2026-03-08T07:00Z', '2026-03-09T06:30Z'],
    ],
    [
      'America/New_York',
      '30 1 * * *',
      '2026-10-31T12:00Z',
      ['2026-11-01T05:30Z', '2026-11-02T06:30Z'],
    ],
    // Half an hour, and a midnight that did not exist.
    [
      'Australia/Lord_Howe',
      '45 1 * * *',
      '2026-04-04T00:00Z',
      ['2026-04-04T14:45Z', '2026-04-05T15:15Z'],
    ],
    [
      'America/Sao_Paulo',
      '0 0 * * *',
      '2018-11-03T12:00Z',
      ['2018-11-04T03:00Z', '2018-11-05T02:00Z'],
    ],
    ['Asia/Tokyo', '30 2 * * *', '2026-03-28T12:00Z', ['2026-03-28T17:30Z', '2026-03-29T17:30Z']],
  ])('%s: "%s" after %s', (zone, cron, after, times) => {
    expect(next(cron, zone, after, 2)).toEqual(times);
  });

  test('several named times a day fire once each when clocks go back', () => {
    expect(next('0,30 1,2 * * *', 'Europe/Berlin', '2026-10-24T20:00Z', 5)).toEqual([
      '2026-10-24T23:00Z',
      '2026-10-24T23:30Z',
      '2026-10-25T00:00Z',
      '2026-10-25T00:30Z',
      '2026-10-26T00:00Z',
    ]);
  });

  test('the whole second pass is skipped, up to the first new time', () => {
    const [first] = next('* * 2 * * *', 'Europe/Berlin', '2026-10-25T00:59:59Z', 1);
    expect(first).toBe('2026-10-26T01:00Z');
    expect(next('0,30 2,3 * * *', 'Europe/Berlin', '2026-10-25T00:30Z', 1)).toEqual([
      '2026-10-25T02:00Z',
    ]);
  });

  test('several named times a day skip those that do not exist', () => {
    expect(next('30 1,2 * * *', 'Europe/Berlin', '2026-03-28T23:00Z', 2)).toEqual([
      '2026-03-29T00:30Z',
      '2026-03-29T23:30Z',
    ]);
  });

  test.each(['*/30 * * * *', '*/30 */1 * * *', '0 */30 * * * *'])(
    '"%s" fires every half hour through both passes, and across the gap',
    (cron) => {
      const back = next(cron, 'Europe/Berlin', '2026-10-24T23:45Z', 6).map(Date.parse);
      const forward = next(cron, 'Europe/Berlin', '2026-03-29T00:15Z', 6).map(Date.parse);
      for (const times of [back, forward]) {
        for (let i = 1; i < times.length; i++) {
          expect((times[i] as number) - (times[i - 1] as number)).toBe(1_800_000);
        }
      }
    },
  );
});

test.each([
  ['0 0 29 2 *', '2026-01-01T00:00Z', ['2028-02-29T00:00Z', '2032-02-29T00:00Z']],
  // 2100 is not a leap year.
  ['0 0 29 2 *', '2096-03-01T00:00Z', ['2104-02-29T00:00Z', '2108-02-29T00:00Z']],
  ['0 0 31 * *', '2026-01-31T00:00Z', ['2026-03-31T00:00Z', '2026-05-31T00:00Z']],
  ['0 0 L * *', '2028-01-31T00:00Z', ['2028-02-29T00:00Z', '2028-03-31T00:00Z']],
  // Either the day of the month or of the week; with + both.
  ['0 0 13 * 5', '2026-11-07T00:00Z', ['2026-11-13T00:00Z', '2026-11-20T00:00Z']],
  ['0 0 13 * +5', '2026-11-07T00:00Z', ['2026-11-13T00:00Z', '2027-08-13T00:00Z']],
  ['0 9 * jan mon-fri', '2026-01-02T10:00Z', ['2026-01-05T09:00Z', '2026-01-06T09:00Z']],
  ['@daily', '2026-12-31T00:00Z', ['2027-01-01T00:00Z', '2027-01-02T00:00Z']],
  ['  0  0 1 1 * ', '2026-12-31T00:00Z', ['2027-01-01T00:00Z', '2028-01-01T00:00Z']],
])('[Q13] "%s" after %s', (cron, after, times) => {
  expect(next(cron, 'UTC', after, 2)).toEqual(times);
});

test('[Q13] an expression that never fires has no next time', () => {
  expect(next('0 0 30 2 *', 'UTC', '2026-01-01T00:00Z', 1)).toEqual([]);
  expect(next('0 0 31 4,6,9,11 *', 'UTC', '2026-01-01T00:00Z', 1)).toEqual([]);
});

test.each([
  ['', 'UTC', 'cron', /five fields/],
  ['* * * *', 'UTC', 'cron', /five fields/],
  ['0 0 * * * * 2030', 'UTC', 'cron', /five fields/],
  ['2030-01-01T00:00:00', 'UTC', 'cron', /five fields/],
  ['60 * * * *', 'UTC', 'cron', /minute: 60/],
  ['* 24 * * *', 'UTC', 'cron', /hour/],
  ['* * 32 * *', 'UTC', 'cron', /day/],
  ['* * * 13 *', 'UTC', 'cron', /month/],
  ['a * * * *', 'UTC', 'cron', /the minute \(a\)/],
  ['0 0 x * * *', 'UTC', 'cron', /the hour \(x\)/],
  ['*/0 * * * *', 'UTC', 'cron', /stepping/],
  ['5-1 * * * *', 'UTC', 'cron', /5-1/],
  ['@reboot', 'UTC', 'cron', /reboot/],
  ['@sometimes', 'UTC', 'cron', /@sometimes/],
  ['* * * * *', '', 'timezone', /Europe\/Berlin/],
  ['* * * * *', 'Mars/Olympus', 'timezone', /Mars\/Olympus/],
  ['* * * * *', '+02:00', 'timezone', /not a time zone/],
])('[Q13] "%s" in "%s" is refused, naming %s', (cron, zone, field, message) => {
  expect(() => cronTimes(cron, zone)).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      details: { field },
      message: expect.stringMatching(message),
    }),
  );
});
