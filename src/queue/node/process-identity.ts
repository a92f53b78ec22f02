import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/*
 * Who a process is, precisely enough that a neighbour on the same machine can prove it dead: a pid
 * means something only within one boot and one pid namespace, and only together with its start.
 */

export interface ProcessIdentity {
  readonly host: string;
  readonly bootId: string;
  readonly pidNamespace: string;
  readonly pid: number;
  readonly pidStart: string;
}

/** This process, on the host of this id; without one the machine's own is taken. */
export function identify(host?: string): ProcessIdentity {
  return {
    host: host ?? deriveHostId(),
    bootId: bootId(),
    pidNamespace: pidNamespace(),
    pid: process.pid,
    pidStart: look(process.pid)?.start ?? '',
  };
}

/**
 * True only if the process cannot be alive. A node of another host, boot or pid namespace is never
 * judged by its pid: there the number belongs to somebody else. The host alone proves nothing, since
 * its id may be configured or copied; the boot id is the kernel's own and never the same twice.
 */
export function isProvablyDead(node: ProcessIdentity, self: ProcessIdentity): boolean {
  if (node.host !== self.host || node.bootId !== self.bootId || node.bootId === '') return false;
  if (node.pidNamespace !== self.pidNamespace) return false;
  if (!exists(node.pid)) return true;
  const found = look(node.pid);
  // Not readable (another user's, hidden): it exists, and nothing more can be said.
  if (found === null) return false;
  if (found.ended) return true;
  return node.pidStart !== '' && found.start !== node.pidStart;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM is a process of another user. Only ESRCH says that there is none.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

interface Looked {
  readonly start: string;
  /** A zombie: ended, only not yet collected by its parent. */
  readonly ended: boolean;
}

function look(pid: number): Looked | null {
  if (process.platform === 'linux') {
    const stat = read(`/proc/${pid}/stat`);
    return stat === null ? null : parseStat(stat);
  }
  const line = ask('ps', ['-o', 'stat=,lstart=', '-p', String(pid)]);
  if (line === null || line === '') return null;
  const [state = '', ...start] = line.split(/\s+/);
  return { start: start.join(' '), ended: state.startsWith('Z') };
}

/**
 * The fields of /proc/<pid>/stat count from after the last parenthesis: the second one is the
 * program's name, which may itself hold spaces and parentheses.
 */
export function parseStat(stat: string): Looked {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0] ?? '';
  return { start: fields[19] ?? '', ended: state === 'Z' || state === 'X' };
}

const MACHINE_ID_FILES = ['/etc/machine-id', '/var/lib/dbus/machine-id'];

/**
 * An id for this machine: its machine-id, hashed because that is meant to be private (machine-id(5)),
 * else its host name. Both may change or appear later, so an id that must last is kept (node/host-id.ts).
 */
export function deriveHostId(): string {
  const id = machineId();
  if (id === null) return hostname() || 'localhost';
  return createHash('sha256').update(`baton host ${id}`).digest('hex').slice(0, 32);
}

function machineId(): string | null {
  if (process.platform === 'darwin') {
    const registry = ask('ioreg', ['-rd1', '-c', 'IOPlatformExpertDevice']) ?? '';
    return /"IOPlatformUUID" = "([^"]+)"/.exec(registry)?.[1] ?? null;
  }
  return MACHINE_ID_FILES.map(read).find((id) => id !== null && isMachineId(id)) ?? null;
}

/** Images ship the file empty or as "uninitialized", to be filled in at the first boot. */
export const isMachineId = (text: string): boolean =>
  /^[0-9a-f]{32}$/.test(text) && !/^0+$/.test(text);

function bootId(): string {
  if (process.platform === 'darwin') return ask('sysctl', ['-n', 'kern.bootsessionuuid']) ?? '';
  return read('/proc/sys/kernel/random/boot_id') ?? '';
}

function pidNamespace(): string {
  if (process.platform !== 'linux') return '';
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    // Unknown must not look like the same unknown of another process.
    return `unknown-${randomUUID()}`;
  }
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}

function ask(command: string, args: string[]): string | null {
  try {
    return execFileSync(command, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      // `ps` prints the start time in the language and zone of whoever asks.
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    }).trim();
  } catch {
    return null;
  }
}
