import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import type { Listing } from '../../workspaces/files.ts';
import { StartError } from '../../workspaces/process.ts';
import type { TurnRuntime } from '../driver.ts';
import type { Rule, Topic } from './driver.ts';
import type { Given } from './rig.ts';
import { print, script } from './subject.ts';

const failing =
  (error: Error): TurnRuntime['spawn'] =>
  () =>
    Promise.reject(error);

const broken = () => Promise.reject(new Error('broken'));
const FILES = { read: broken, write: broken, list: broken, stat: broken, remove: broken };
const LISTING: Listing = {
  entries: [{ name: 'folder', path: Buffer.from('folder'), kind: 'folder' }],
  truncated: false,
};
const BROKEN: Readonly<Record<string, Partial<TurnRuntime>>> = {
  find: { find: broken },
  // With a folder in which there is something to inspect.
  inspect: { inspect: broken, filesIn: () => ({ ...FILES, list: async () => LISTING }) },
  keepPrivate: { keepPrivate: broken },
  files: { files: FILES },
  filesIn: { filesIn: () => FILES },
};

/** A turn for which a driver uses as much of its runtime as it can. */
const EVERYTHING: Given = {
  attachments: [{ name: 'notes', path: 'notes', mediaType: 'text/plain' }],
  mcpServers: { tools: { command: 'true' } },
  systemPrompt: 'Be brief.',
  fork: { conversation: '5e55104e-0000-4000-8000-000000000000', head: null },
};

export const startRules: Topic = ({ words, does, at }) => [
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
      const { outcome } = await rig.play(print(words.begun), { runtime: { spawn } });
      expect(outcome).toBe('overloaded');
    },
  },
  {
    title: '[A1] a start that breaks is an end, not an exception',
    check: async (rig) => {
      const spawn = failing(new Error('broken'));
      const { outcome } = await rig.play(print(words.begun), { runtime: { spawn } });
      expect(outcome).toBe('unknown');
    },
  },
  ...Object.entries(BROKEN).map(
    ([name, runtime]): Rule => ({
      title: `[A1] a runtime whose \`${name}\` breaks leads to an end, not to an exception`,
      check: async (rig) => {
        const finished = script(does.takesMessage, print(words.begun + words.succeeded));
        await rig.play(finished, { ...EVERYTHING, runtime });
      },
    }),
  ),
  {
    title: '[A1] private files that cannot be removed do not change the outcome',
    check: async (rig) => {
      const keepPrivate: TurnRuntime['keepPrivate'] = async (files) => ({
        paths: Object.fromEntries(Object.keys(files).map((name) => [name, `/nowhere/${name}`])),
        remove: broken,
      });
      const finished = script(does.takesMessage, print(words.begun + words.succeeded));
      const { outcome } = await rig.play(finished, { ...EVERYTHING, runtime: { keepPrivate } });
      expect(outcome).toBe('succeeded');
    },
  },
];
