import { describe, expect, it } from 'vitest';
import { IdempotencyKey, LaneId, NAME_MAX, newId, OwnerId, RunType } from './ids.ts';

describe('newId', () => {
  it('is a UUID of version 7', () => {
    const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    for (let i = 0; i < 1000; i++) expect(newId()).toMatch(pattern);
  });

  it('[Q1] increases with every call, even within a millisecond and past its counter', () => {
    const now = Date.now() + 60_000;
    let last = '';
    for (let i = 0; i < 20_000; i++) {
      const id = newId(now);
      expect(id > last).toBe(true);
      last = id;
    }
  });

  it('[Q1] increases even when the clock is set back', () => {
    const later = newId(Date.now() + 120_000);
    expect(newId(0) > later).toBe(true);
  });

  it('contains its creation time', () => {
    const at = Date.now() + 180_000;
    expect(Number.parseInt(newId(at).replace('-', '').slice(0, 12), 16)).toBe(at);
  });
});

describe('names', () => {
  it('may use any script, up to the maximum length', () => {
    for (const name of ['a', '受注 処理', '👩‍👩‍👧‍👦', 'x'.repeat(NAME_MAX), ' ']) {
      expect(LaneId.safeParse(name).success, name).toBe(true);
    }
  });

  const bad: [string, string][] = [
    ['empty', ''],
    ['too long', 'x'.repeat(NAME_MAX + 1)],
    ['of 10,000 characters', 'x'.repeat(10_000)],
    ['with NUL', 'a\u0000b'],
    ['with a line break', 'a\nb'],
    ['with DEL', 'a\u007f'],
    ['with half a surrogate pair', 'a\ud800'],
  ];
  for (const [what, name] of bad) {
    it(`are refused if ${what}`, () => {
      for (const schema of [LaneId, IdempotencyKey, RunType]) {
        expect(schema.safeParse(name).success).toBe(false);
      }
    });
  }

  it('may be empty for an owner', () => {
    expect(OwnerId.safeParse('').success).toBe(true);
    expect(OwnerId.safeParse('a\u0000').success).toBe(false);
  });

  it('[Q17] are plain for run types', () => {
    for (const type of ['agent', 'mail.send', 'a:b-c_d', '9']) {
      expect(RunType.safeParse(type).success, type).toBe(true);
    }
    for (const type of ['a b', '-a', 'é', 'a/b', '__proto__']) {
      expect(RunType.safeParse(type).success, type).toBe(false);
    }
  });
});
