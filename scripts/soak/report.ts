/** What happened to one part of a soak. */
export interface PartResult {
  readonly name: string;
  readonly about: string;
  readonly outcome: 'passed' | 'failed' | 'interrupted';
  readonly seconds: number;
  readonly commands: readonly CommandResult[];
}

export interface CommandResult {
  /** To repeat it by hand. */
  readonly command: string;
  /** Null if it was ended by a signal. */
  readonly exitCode: number | null;
  readonly seconds: number;
  /** The end of what it printed, which is a summary in all parts. */
  readonly summary: readonly string[];
  /** The file with everything it printed. */
  readonly log: string;
}

export interface Report {
  readonly startedAt: string;
  readonly commit: string;
  readonly seed: number;
  readonly minutes: number;
  readonly processors: number;
  readonly node: string;
  readonly parts: readonly PartResult[];
}

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (char) => `&#${char.codePointAt(0)};`);

const time = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

const commandRow = ({ command, exitCode, seconds, summary, log }: CommandResult): string => `
<details${exitCode === 0 ? '' : ' open'}>
<summary><code>${escaped(command)}</code> · ${time(seconds)} · ${exitCode === null ? 'ended by a signal' : `exit code ${exitCode}`}</summary>
<pre>${escaped(summary.join('\n'))}</pre>
<p><a href="${encodeURI(log)}">everything it printed</a></p>
</details>`;

const partSection = ({ name, about, outcome, seconds, commands }: PartResult): string => `
<section class="${outcome}">
<h2>${escaped(name)} <small>${outcome} · ${time(seconds)}</small></h2>
<p>${escaped(about)}</p>${commands.map(commandRow).join('')}
</section>`;

/** A page without any other files. */
export function reportPage({ parts, ...about }: Report): string {
  const passed = parts.filter(({ outcome }) => outcome === 'passed').length;
  const { startedAt, commit, seed, minutes, processors, node } = about;
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Soak of ${escaped(commit)}</title>
<style>
:root { color-scheme: light dark; font: 14px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h2 small { font-weight: normal }
.passed h2 small { color: light-dark(#1a7f37, #57c26f) }
.failed h2 small, .interrupted h2 small { color: light-dark(#c02626, #ff8a80) }
pre { overflow-x: auto; padding: .5rem; border: 1px solid #8886 }
</style>
<h1>Soak: ${passed} of ${parts.length} parts passed</h1>
<p>Commit <code>${escaped(commit)}</code>, started ${escaped(startedAt)}, seed ${seed}, ${minutes} minutes for each part
that can run for any time, on ${processors} processors with Node ${escaped(node)}.</p>${parts.map(partSection).join('')}
</html>
`;
}
