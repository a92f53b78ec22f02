import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import { StartError } from '../../workspaces/process.ts';
import type { TurnRuntime } from '../driver.ts';
import type { Topic } from './driver.ts';
import { print } from './subject.ts';

const failing =
  (error: Error): TurnRuntime['spawn'] =>
  () =>
    Promise.reject(error);

export const startRules: Topic = ({ words, at }) => [
  {
    title: '[Q9] aborted before the start, it starts nothing and only ends',
    check: async (rig) => {
      const play = await rig.play(print(words.begun), { signal: AbortSignal.abort() });
      expect(play.outcome).toBe('stopped');
      expect(play.events).toHaveLength(1);
      expect(rig.started).toEqual([]);
    },
  },
  {
    title: '[Q15] a program that is missing is agent_unavailable, with how to fix it',
    check: async (rig) => {
      const { outcome, end } = await rig.startAgent(at('/not/there/program')).ended();
      expect(outcome).toBe('agent_unavailable');
      expect(end.outcome).toMatchObject({
        error: { message: expect.stringMatching(/Install it/) },
      });
    },
  },
  {
    title: '[Q15] a program that is not executable is agent_unavailable',
    check: async (rig) => {
      const program = join(temporaryDirectory(), 'program');
      writeFileSync(program, '#!/bin/sh\n');
      chmodSync(program, 0o644);
      expect((await rig.startAgent(at(program)).ended()).outcome).toBe('agent_unavailable');
    },
  },
  {
    title: '[Q15] a machine that cannot start more processes is overloaded',
    check: async (rig) => {
      const spawn = failing(new StartError('no more processes', { busy: true }));
      expect((await rig.play(print(words.begun), { spawn })).outcome).toBe('overloaded');
    },
  },
  {
    title: '[A1] a start that breaks is an end, not an exception',
    check: async (rig) => {
      const spawn = failing(new Error('broken'));
      expect((await rig.play(print(words.begun), { spawn })).outcome).toBe('unknown');
    },
  },
];
