import { expect, onTestFinished } from 'vitest';
import type { Topic } from './driver.ts';
import { print, script } from './subject.ts';

const SECRET = 'BATON_CONFORMANCE_SECRET';

export const turnRules: Topic = ({ words, does }) => [
  {
    title: '[A1] it works in the workspace, which need not be on this machine',
    check: async (rig) => {
      rig.put('notes', 'in the workspace');
      const { outcome } = await rig.play(
        script(does.takesMessage, print(words.begun), 'cat notes > copy', print(words.succeeded)),
      );
      expect(outcome).toBe('succeeded');
      expect(await rig.read('copy')).toBe('in the workspace');
    },
  },
  {
    title: '[A11] it gets attached images without files of this machine',
    check: async (rig) => {
      rig.put('picture.png', Buffer.from('89504e470d0a1a0a', 'hex'));
      const attachments = [{ name: 'picture', path: 'picture.png', mediaType: 'image/png' }];
      const { outcome } = await rig.play(
        script(does.takesMessage, print(words.begun), print(words.succeeded)),
        { attachments },
      );
      expect(outcome).toBe('succeeded');
    },
  },
  {
    title: "[A10] it gets nothing of the server's environment from its driver",
    check: async (rig) => {
      process.env[SECRET] = 'secret';
      onTestFinished(() => void delete process.env[SECRET]);
      await rig.play(
        script('env > environment', does.takesMessage, print(words.begun + words.succeeded)),
      );
      const environment = await rig.read('environment');
      expect(environment).toContain('PATH=');
      expect(environment).not.toContain(SECRET);
    },
  },
  {
    title: '[A3] it names its conversation, and resumes the one it is given',
    needs: 'resumes',
    check: async (rig) => {
      const conversation = '5e55104e-0000-4000-8000-000000000000';
      const { events } = await rig.play(
        script(
          does.takesMessage,
          `printf '%s %s' "$*" "$given" > given`,
          print(words.begun + words.succeeded),
        ),
        { conversation },
      );
      expect(events[0]).toMatchObject({ kind: 'init', conversation: expect.any(String) });
      expect(await rig.read('given')).toContain(conversation);
    },
  },
  {
    title: '[A5] it reports what its turn has cost',
    needs: 'spends',
    check: async (rig) => {
      const { end } = await rig.play(
        script(does.takesMessage, print(words.begun + words.spent(0.25))),
      );
      expect(end.usage).toMatchObject({ costUsd: 0.25 });
    },
  },
];
