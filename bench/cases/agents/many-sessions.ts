import { randomUUID } from 'node:crypto';
import type { Case } from '../../benches.ts';
import { interleave, medians, now } from '../../measure.ts';
import type { Resources } from '../../resources.ts';
import { compare } from '../../result.ts';
import { runBare } from './bare.ts';
import { AT_ONCE, type ClaudeScene, openClaude } from './claude.ts';
import { SessionStream } from './session-stream.ts';

const SESSIONS = 20;
const MESSAGES = 5;
/** A round starts Claude Code two hundred times, so there are fewer rounds. */
const SHARE_OF_ROUNDS = 3;

/** Several messages to each of many sessions, against the same conversations without Baton. */
export const manySessions: Case = async ({ resources, rounds, report }) => {
  const scene = await openClaude(resources);
  const seconds = medians(
    await interleave(Math.ceil(rounds / SHARE_OF_ROUNDS), {
      baton: () => through(scene),
      bare: () => without(scene, resources),
    }),
  );
  await scene.close();
  compare(
    report,
    {
      metric: `${SESSIONS} sessions × ${MESSAGES} messages`,
      value: seconds.baton,
      unit: 's',
    },
    { [`@anthropic-ai/claude-code, ${AT_ONCE} at once`]: seconds.bare },
  );
};

/** Sends all messages at once; they queue in their sessions. */
async function through({ server }: ClaudeScene): Promise<number> {
  const sessions = await Promise.all(
    Array.from({ length: SESSIONS }, async () => {
      const { id } = await server.session(`many ${randomUUID()}`, 'claude');
      return { id, stream: await SessionStream.open(server.url, id) };
    }),
  );
  const begun = now();
  await Promise.all(
    sessions.map(async ({ id, stream }) => {
      const done = Array.from({ length: MESSAGES }, () => stream.done());
      for (let n = 1; n <= MESSAGES; n++) {
        await server.send(id, `hello ${n}`);
      }
      await Promise.all(done);
    }),
  );
  const ms = now() - begun;
  for (const { stream } of sessions) stream.close();
  return ms / 1000;
}

/** Each slot runs one conversation from the first message to the last, then the next one. */
async function without(scene: ClaudeScene, resources: Resources): Promise<number> {
  let next = 0;
  const begun = now();
  const slot = async (): Promise<void> => {
    while (next++ < SESSIONS) {
      const cwd = resources.directory();
      const id = randomUUID();
      for (let n = 1; n <= MESSAGES; n++) {
        await runBare(scene, {
          message: `hello ${n}`,
          cwd,
          conversation: { how: n > 1 ? 'resume' : 'begin', id },
        });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, slot));
  return (now() - begun) / 1000;
}
