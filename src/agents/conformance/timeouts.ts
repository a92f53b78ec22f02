import { expect } from 'vitest';
import { type Timeouts, withTimeouts } from '../timeouts.ts';
import type { Topic } from './driver.ts';
import type { Given } from './rig.ts';
import { print, script } from './subject.ts';

const LONG = 600_000;
const within = (timeouts: Partial<Timeouts>): Given => ({
  wrap: (driver) => withTimeouts(driver, { runMs: LONG, silenceMs: LONG, ...timeouts }),
});

export const timeoutRules: Topic = ({ words, does }) => [
  {
    title: '[A8] an agent that is silent for too long is stopped: timeout',
    check: async (rig) => {
      const silent = script(does.takesMessage, print(words.begun), 'exec sleep 1000');
      const { outcome } = await rig.play(silent, within({ silenceMs: 300 }));
      expect(outcome).toBe('timeout');
    },
  },
  {
    title: '[A8] an agent that speaks is not silent, but may run for too long: timeout',
    check: async (rig) => {
      const speaks = script(
        does.takesMessage,
        print(words.begun),
        `while :; do ${print(words.said('hello'))}; sleep 0.05; done`,
      );
      const { outcome } = await rig.play(speaks, within({ runMs: 800 }));
      expect(outcome).toBe('timeout');
    },
  },
  {
    title: '[A8] an agent whose call takes long is not silent',
    needs: 'calls',
    check: async (rig) => {
      const call = { id: 'call', tool: 'Bash', input: { command: 'make' } };
      const waits = script(
        does.takesMessage,
        print(words.begun + words.asks(call)),
        'read -r answer; sleep 2.6',
        print(words.called(call) + words.succeeded),
      );
      const permit = async () => ({ behavior: 'allow' }) as const;
      const { outcome } = await rig.play(waits, { ...within({ silenceMs: 2000 }), permit });
      expect(outcome).toBe('succeeded');
    },
  },
];
