import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, vi } from 'vitest';
import { type ClaudeSettings, claudeDriver } from '../../src/agents/claude/driver.ts';
import type {
  DriverEnd,
  DriverEvent,
  ToolAnswer,
  ToolCall,
  Turn,
  TurnRuntime,
} from '../../src/agents/driver.ts';
import type { Json } from '../../src/contract/values/json.ts';
import { privateDirOf } from '../../src/workspaces/local/files/private-dir.ts';
import type { Process } from '../../src/workspaces/process.ts';
import type { StepInput } from '../model-server/script.ts';
import { scripted } from '../model-server/script.ts';
import { startModelServer } from '../model-server/server.ts';
import { agentRig, unmasked } from '../support/agent-rig.ts';
import { root, temporaryDirectory } from '../support/processes.ts';
import { until } from '../support/until.ts';

const CLAUDE = join(
  root,
  `node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
);

// Claude Code starts in a second, or in ten on a busy machine.
vi.setConfig({ testTimeout: 90_000 });

/** Gives an agent plenty of time to stop by itself: the machine may be busy. */
const PATIENT = { interruptMs: 20_000, inputMs: 5000, terminateMs: 5000, killMs: 20_000 };

export type Given = Partial<Turn> & { readonly steps?: readonly StepInput[] };

/** The real Claude Code with a scripted model, in directories of its own; no process may be left. */
export async function claudeRig() {
  const model = await startModelServer();
  onTestFinished(async () => {
    await model.stop();
    expect(model.failures).toEqual([]);
  });
  const agents = agentRig();
  const home = temporaryDirectory();
  const folder = (name: string): string => {
    mkdirSync(join(home, name));
    return join(home, name);
  };
  const cwd = folder('work');
  const temporary = folder('tmp');
  const dataDir = folder('data');
  const environment: Record<string, string> = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    LANG: 'C.UTF-8',
    CLAUDE_CONFIG_DIR: folder('config'),
    TMPDIR: temporary,
    CLAUDE_CODE_TMPDIR: temporary,
    ...model.environment,
  };

  const start = (
    { steps, ...given }: Given,
    settings: ClaudeSettings & { env?: Record<string, string> } = {},
  ) => {
    const { env, ...rest } = settings;
    const local = { dataDir, environment: { ...environment, ...env }, ladder: PATIENT };
    return new Talk(
      {
        agent: { kind: 'claude' },
        message: steps === undefined ? 'hello' : scripted(steps),
        conversation: null,
        maskStream: unmasked,
        runtime: agents.runtime(cwd, local),
        signal: new AbortController().signal,
        permit: async () => ({ behavior: 'allow' }),
        ...given,
      },
      { program: CLAUDE, retries: 0, ...rest },
    );
  };

  return {
    model,
    cwd,
    home,
    environment,
    privateDir: privateDirOf(dataDir, 'node'),
    agents,
    start,
    /** Runs a turn to its end. */
    run: (given: Given, settings?: Parameters<typeof start>[1]) => start(given, settings).ended(),
  };
}

/** One turn, with its events as they arrive. */
export class Talk {
  readonly events: DriverEvent[] = [];
  readonly asked: ToolCall[] = [];
  readonly processes: Process[] = [];
  readonly commandLines: (readonly string[])[] = [];
  readonly #done: Promise<DriverEnd>;
  #output = '';

  constructor(turn: Turn, settings: ClaudeSettings) {
    const permit: Turn['permit'] = async (call, withdrawn): Promise<ToolAnswer> => {
      // The event of the call comes before the question.
      expect(this.payloads('agent.tool_use').map((use) => use['id'])).toContain(call.id);
      this.asked.push(call);
      return turn.permit?.(call, withdrawn) ?? { behavior: 'deny', message: 'nobody' };
    };
    const spawn: TurnRuntime['spawn'] = async (argv, options) => {
      const started = await turn.runtime.spawn(argv, options);
      this.processes.push(started);
      this.commandLines.push(argv);
      const stdout = new PassThrough();
      started.stdout.on('data', (piece: Buffer) => {
        this.#output += piece.toString('latin1');
      });
      return { ...started, stdout: started.stdout.pipe(stdout) };
    };
    this.#done = this.#take(
      claudeDriver(settings).run({ ...turn, permit, runtime: { ...turn.runtime, spawn } }),
    );
  }

  async #take(events: AsyncIterable<DriverEvent>): Promise<DriverEnd> {
    let end: DriverEnd | undefined;
    for await (const event of events) {
      expect(end).toBeUndefined();
      this.events.push(event);
      if (event.kind === 'end') end = event.end;
    }
    if (end === undefined) throw new Error('no end');
    return end;
  }

  /** Waits for the end of the turn. */
  async ended() {
    const end = await this.#done;
    return Object.assign(this, { end, outcome: end.outcome });
  }

  /** The number of messages that Claude Code has read from its input, including the first one. */
  get taken(): number {
    return this.#output.split('"state":"queued"').length - 1;
  }

  until(holds: (talk: this) => boolean): Promise<void> {
    return until(() => holds(this), { ms: 60_000, every: 10 });
  }

  get conversation(): string | null {
    return this.events.find((event) => event.kind === 'init')?.conversation ?? null;
  }

  get deltas(): string[] {
    return this.events.flatMap((event) => (event.kind === 'delta' ? [event.text] : []));
  }

  get messages(): string[] {
    return this.events.flatMap((event) => (event.kind === 'message' ? [event.text] : []));
  }

  get notices(): string[] {
    return this.events.flatMap((event) => (event.kind === 'notice' ? [event.text] : []));
  }

  payloads(type: string): Record<string, Json>[] {
    return this.events.flatMap((event) =>
      event.kind === 'event' && event.type === type ? [event.payload as Record<string, Json>] : [],
    );
  }
}

export const failure = (errorClass: string, message: unknown = expect.any(String)) => ({
  kind: 'failed',
  error: { class: errorClass, message },
});
