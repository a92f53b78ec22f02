/*
 * What the messages say: commands for the shell that leave a trace in their workspace, by which it
 * is seen afterwards what was really executed, and when. Each holds a lock while it lives, and hands
 * it on to whatever it leaves behind: who finds the lock taken was started too early.
 */

export const KINDS = ['talks', 'quick', 'fails', 'leaves', 'dies', 'endless'] as const;
export type Kind = (typeof KINDS)[number];

/** How often each is sent, of a hundred. */
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
 * The first line says what to expect, for whoever reads the stored message. Starts and ends may be
 * written to a second file, too, which all workspaces share: its lines stand in the order of time.
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

export interface Told {
  readonly n: number;
  readonly kind: Kind;
  /** What it prints if it is executed to its end. */
  readonly output: string;
}

/** Reads it back out of a stored message. */
export function toldBy(message: string): Told | null {
  const found = /^: n=(\d+) kind=(\w+) lines=(\d+)\n/.exec(message);
  if (found === null) return null;
  const [n, lines] = [Number(found[1]), Number(found[3])];
  const output = Array.from({ length: lines }, (_, i) => `${n}: ${i + 1}\n`).join('');
  return { n, kind: found[2] as Kind, output };
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
      // One in another session, and one that has lost its parent and holds the output open.
      return `away=$(command -v setsid || echo nohup)
$away sleep 3600 >/dev/null 2>&1 &
( ( $away sh -c 'sleep 3600; :' & ) & )
echo "${n}: 1"`;
    default:
      return `echo "${n}: 1"`;
  }
}
