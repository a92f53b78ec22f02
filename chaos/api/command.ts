/*
 * The messages: shell commands that write a trace in their workspace, which shows afterwards what
 * was really executed, and when. Each holds a lock while it runs, and the processes it leaves behind
 * inherit it: a command that cannot take the lock was started too early.
 */

export const KINDS = ['talks', 'quick', 'fails', 'leaves', 'dies', 'endless'] as const;
export type Kind = (typeof KINDS)[number];

/** How often each kind is sent, in percent. */
const SHARES: Record<Kind, number> = {
  talks: 40,
  quick: 25,
  fails: 12,
  leaves: 15,
  dies: 3,
  endless: 5,
};

export function kindOf(random: number): Kind {
  let left = random * 100;
  for (const kind of KINDS) {
    left -= SHARES[kind];
    if (left < 0) return kind;
  }
  return 'quick';
}

/**
 * The first line describes the command for `parseCommand`. Starts and ends can also be appended to
 * `shared`, one file for all workspaces: its lines are in chronological order.
 */
export const commandOf = (n: number, kind: Kind, lines: number, shared?: string): string =>
  `: n=${n} kind=${kind} lines=${linesOf(kind, lines)}
exec 9>>lock
if command -v flock >/dev/null && ! flock -n 9; then echo "overlap $BATON_AGENT_MARK" >>trace; fi
echo "start $BATON_AGENT_MARK" >>trace
${shared === undefined ? ':' : `echo "start $BATON_AGENT_MARK $PPID" >>'${shared}'`}
${bodyOf(n, kind, lines)}
${shared === undefined ? ':' : `echo "end $BATON_AGENT_MARK" >>'${shared}'`}
echo "end $BATON_AGENT_MARK" >>trace
${kind === 'fails' ? 'exit 3' : 'exit 0'}`;

export interface ParsedCommand {
  readonly n: number;
  readonly kind: Kind;
  /** Its output if it runs to its end. */
  readonly output: string;
}

/** Parses the first line of a stored message. */
export function parseCommand(message: string): ParsedCommand | null {
  const match = /^: n=(\d+) kind=(\w+) lines=(\d+)\n/.exec(message);
  if (match === null) return null;
  const [n, lines] = [Number(match[1]), Number(match[3])];
  const output = Array.from({ length: lines }, (_, i) => `${n}: ${i + 1}\n`).join('');
  return { n, kind: match[2] as Kind, output };
}

const linesOf = (kind: Kind, lines: number): number =>
  kind === 'talks' ? lines : kind === 'endless' || kind === 'dies' ? 0 : 1;

function bodyOf(n: number, kind: Kind, lines: number): string {
  switch (kind) {
    case 'talks':
      return `i=0; while [ $i -lt ${lines} ]; do i=$((i+1)); echo "${n}: $i"; sleep 0.1; done`;
    case 'endless':
      return `while :; do echo "${n}: on and on"; sleep 0.3; done`;
    case 'dies':
      return 'kill -KILL $$';
    case 'leaves':
      // One process in another session, and an orphan that holds the output open.
      return `away=$(command -v setsid || echo nohup)
$away sleep 3600 >/dev/null 2>&1 &
( ( $away sh -c 'sleep 3600; :' & ) & )
echo "${n}: 1"`;
    default:
      return `echo "${n}: 1"`;
  }
}
