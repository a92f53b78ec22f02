import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Session } from '../../../src/contract/session.ts';
import { type StepInput, scripted } from '../../../test/model-server/script.ts';
import type { Case } from '../../benches.ts';
import { now, percentile } from '../../measure.ts';
import { compare } from '../../result.ts';
import { runBare } from './bare.ts';
import { type ClaudeScene, openClaude } from './claude.ts';
import { SessionStream } from './session-stream.ts';

const SAMPLES = 40;
const WARM_UP = 3;
const TOTAL = WARM_UP + SAMPLES;

/**
 * The time from the answer to an approval until the model gets the result of the tool, against the
 * same answer written directly to the input of Claude Code. One conversation each, alternating.
 */
export const approval: Case = async ({ resources, report }) => {
  const scene = await openClaude(resources);
  const baton = await through(scene, resources.directory());
  const bare = without(scene, resources.directory());
  const times: Record<'baton' | 'bare', number[]> = { baton: [], bare: [] };
  for (let i = 1; i <= TOTAL; i++) {
    const batonMs = await baton.answer(i);
    const bareMs = await bare.answer(i);
    if (i <= WARM_UP) continue;
    times.baton.push(batonMs);
    times.bare.push(bareMs);
  }
  await Promise.all([baton.over(), bare.over()]);
  await scene.close();
  for (const [metric, share] of [
    ['answer → next request to the model, p50', 0.5],
    ['answer → next request to the model, p95', 0.95],
  ] as const) {
    compare(
      report,
      { metric, value: percentile(times.baton, share), unit: 'ms' },
      { '@anthropic-ai/claude-code alone': percentile(times.bare, share) },
    );
  }
};

interface Contender {
  /** Waits for a question and answers it; resolves to the time until the next request to the model. */
  answer(i: number): Promise<number>;
  over(): Promise<void>;
}

/** Each step writes a file, and the model holds back its answer to the result. */
const scriptIn = (cwd: string, name: string): string =>
  scripted(
    Array.from({ length: TOTAL + 1 }, (_, i): StepInput => {
      const last = i === TOTAL;
      const file_path = join(cwd, `${i + 1}.txt`);
      return {
        ...(i === 0 ? {} : { hold: `${name} ${i}`, results: [{}] }),
        ...(last
          ? { text: 'All written.' }
          : { tools: [{ name: 'Write', input: { file_path, content: 'x' } }] }),
      };
    }),
  );

async function through({ server, model }: ClaudeScene, cwd: string): Promise<Contender> {
  const { id } = await server.call<Session>('/api/v1/sessions', {
    name: 'approvals',
    workspace: { provider: 'directory', path: cwd },
  });
  await server.call(`/api/v1/sessions/${id}/policy`, { ask: ['Write'] }, 'PUT');
  const stream = await SessionStream.open(server.url, id);
  const done = stream.done();
  let asked = stream.next('approval.requested');
  await server.send(id, scriptIn(cwd, 'baton'));
  return {
    answer: async (i) => {
      const { payload } = await asked;
      asked = stream.next('approval.requested');
      const again = model.arrived(`baton ${i}`);
      const begun = now();
      const posted = server.call(`/api/v1/approvals/${payload['approvalId']}`, {
        decision: 'allow',
      });
      await Promise.all([again, posted]);
      const ms = now() - begun;
      model.release(`baton ${i}`);
      // Waits for the next question: nothing may run here while the other contender is measured.
      if (i < TOTAL) await asked;
      return ms;
    },
    over: async () => {
      await done;
      stream.close();
    },
  };
}

function without(scene: ClaudeScene, cwd: string): Contender {
  const { model } = scene;
  let asked = Promise.withResolvers<() => void>();
  const permit = (): Promise<void> =>
    new Promise((allow) => {
      asked.resolve(allow);
    });
  const over = runBare(scene, {
    message: scriptIn(cwd, 'bare'),
    cwd,
    conversation: { how: 'begin', id: randomUUID() } as const,
    permit,
  });
  return {
    answer: async (i) => {
      const allow = await Promise.race([asked.promise, over]);
      asked = Promise.withResolvers();
      const again = model.arrived(`bare ${i}`);
      const begun = now();
      allow?.();
      await again;
      const ms = now() - begun;
      model.release(`bare ${i}`);
      if (i < TOTAL) await Promise.race([asked.promise, over]);
      return ms;
    },
    over: () => over,
  };
}
