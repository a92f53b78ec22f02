import { expect } from 'vitest';
import type { Topic } from './driver.ts';
import { print, script } from './subject.ts';

const GARBAGE = ['not JSON', '{"type":', '{"type":"new"}', '[]', 'null', '42', '', '"', '\t'];
const MEGABYTES = 3_000_000;

export const outputRules: Topic = ({ words, does }) => [
  {
    title: '[E5] lines that nobody understands do not break the turn',
    check: async (rig) => {
      const bytes = Buffer.from([0xff, 0xfe, 0x00, 0x0a, 0xed, 0xa0, 0x80, 0x0a]);
      rig.put('garbage', Buffer.concat([Buffer.from(`${GARBAGE.join('\n')}\n`), bytes]));
      const play = await rig.play(
        script(
          'cat garbage',
          does.takesMessage,
          print(words.begun),
          'cat garbage',
          print(words.said('hello') + words.succeeded),
        ),
      );
      expect(play.outcome).toBe('succeeded');
      expect(play.said).toContain('hello');
    },
  },
  {
    title: '[E7] a line of megabytes arrives whole',
    check: async (rig) => {
      const long = 'x'.repeat(MEGABYTES);
      rig.put('long', words.said(long));
      const play = await rig.play(
        script(does.takesMessage, print(words.begun), 'cat long', print(words.succeeded)),
      );
      expect(play.outcome).toBe('succeeded');
      expect(play.said.includes(long)).toBe(true);
    },
  },
  {
    title: '[A1] characters and lines that come in pieces are whole',
    check: async (rig) => {
      const text = 'あ😀é';
      const bytes = Buffer.from(words.said(text));
      const from = bytes.indexOf(Buffer.from(text));
      // One cut inside each character.
      const cuts = [0, from + 1, from + 5, from + 8, bytes.length];
      const pieces = cuts.slice(1).map((cut, n) => {
        rig.put(`piece-${n}`, bytes.subarray(cuts[n], cut));
        // Pauses long enough for each piece to be read separately.
        return `cat piece-${n}; sleep 0.05`;
      });
      const play = await rig.play(
        script(does.takesMessage, print(words.begun), ...pieces, print(words.succeeded)),
      );
      expect(play.outcome).toBe('succeeded');
      expect(play.said).toContain(text);
      expect(play.said).not.toContain('\uFFFD');
    },
  },
  {
    title:
      '[A1] an agent that dies in the middle of a character has crashed, and its text is valid',
    check: async (rig) => {
      const bytes = Buffer.from(words.said('あ'));
      rig.put('half', bytes.subarray(0, bytes.indexOf(Buffer.from('あ')) + 2));
      const { outcome } = await rig.play(
        script(does.takesMessage, print(words.begun), 'cat half', 'kill -KILL $$'),
      );
      expect(outcome).toBe('agent_crash');
    },
  },
];
