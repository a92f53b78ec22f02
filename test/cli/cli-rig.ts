import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  cleanEnvironment,
  type Program,
  root,
  start,
  temporaryDirectory,
  until,
} from '../support/processes.ts';
import { Server, type ServerOptions } from '../support/server-rig.ts';
import { runInHost } from './command-host.ts';

/** A person's machine: an empty home, perhaps a server, and commands typed there. */
export class Desk {
  readonly home = temporaryDirectory();
  readonly dataDir = join(this.home, '.baton');

  /** Takes its token from the data directory, unless `env` has one. */
  server(options: ServerOptions = {}): Promise<Server> {
    const env = { BATON_ADMIN_TOKEN: '', ...options.env };
    return Server.start({ dataDir: this.dataDir, ...options, env });
  }

  baton(args: string[], env: NodeJS.ProcessEnv = {}): Program {
    return this.type([process.execPath, join(root, 'bin', 'baton.mjs'), ...args], env);
  }

  /** Runs a script in a shell, for pipes; `baton` is the program. */
  shell(script: string, env: NodeJS.ProcessEnv = {}): Program {
    const text = `baton() { "$NODE" "$BATON" "$@"; }; ${script}`;
    const names = { NODE: process.execPath, BATON: join(root, 'bin', 'baton.mjs') };
    return this.type(['sh', '-c', text], { ...env, ...names });
  }

  /** In its own process group, all of which Ctrl-C reaches. */
  type([command = '', ...args]: string[], env: NodeJS.ProcessEnv = {}): Program {
    return start(command, args, { env: this.#own(env), detached: true });
  }

  #own(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
    return { HOME: this.home, XDG_CONFIG_HOME: '', NO_COLOR: '', ...env };
  }

  /** Without the launcher, which takes as long as the command itself. */
  async done(args: string[], env: NodeJS.ProcessEnv = {}) {
    const fullEnv = { ...cleanEnvironment(), ...this.#own(env) } as Record<string, string>;
    const result = await runInHost({ args, env: fullEnv });
    if (result !== undefined) return result;
    const main = join(root, 'src', 'cli', 'main.ts');
    return ended(this.type([process.execPath, main, ...args], env));
  }

  async json<T>(args: string[], env: NodeJS.ProcessEnv = {}): Promise<T> {
    const { code, stdout, stderr } = await this.done([...args, '--json'], env);
    if (code !== 0) throw new Error(`${args.join(' ')}: ${code}\n${stderr}`);
    return JSON.parse(stdout) as T;
  }

  path(name: string): string {
    return join(this.home, name);
  }

  /** A shell command that reports its start (`begun`) and waits for `open`. */
  gated(name: string): string {
    return `touch ${this.path(`${name}.begun`)}; until [ -e ${this.path(name)} ]; do sleep 0.05; done`;
  }

  begun(name: string): Promise<void> {
    const file = this.path(`${name}.begun`);
    return until(`${file} is there`, () => existsSync(file), 20_000);
  }

  open(name: string): void {
    writeFileSync(this.path(name), '');
  }
}

export async function ended(program: Program) {
  const { code } = await program.exit;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}
