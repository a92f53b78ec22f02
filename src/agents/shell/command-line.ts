import type { AgentSpec } from '../../contract/session.ts';

/** Linux allows 128 KiB per argument; a longer command is passed in parts. */
const PART_BYTES = 100 * 1024;

/**
 * The message is the last argument of the session's command or, without one, a command for the
 * shell.
 */
export function commandLine(agent: AgentSpec, message: string): string[] {
  if (agent.command !== undefined) return [...agent.command, message];
  const parts = inParts(message);
  // A message may start with a dash, so `--` ends the options.
  if (parts.length === 1) return ['/bin/sh', '-c', '--', message];
  const all = parts.map((_, n) => `\${${n + 1}}`).join('');
  return ['/bin/sh', '-c', '--', `eval "${all}"`, 'sh', ...parts];
}

function inParts(text: string): string[] {
  const bytes = Buffer.from(text, 'utf8');
  const parts: string[] = [];
  for (let from = 0; from < bytes.length; ) {
    let to = Math.min(from + PART_BYTES, bytes.length);
    // Never splits a character: all of its bytes except the first start with the bits 10.
    while (to < bytes.length && ((bytes[to] ?? 0) & 0xc0) === 0x80) to--;
    parts.push(bytes.toString('utf8', from, to));
    from = to;
  }
  return parts;
}
