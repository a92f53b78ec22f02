import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/*
 * Identifies a process precisely enough for another process on the same machine to prove it dead: a
 * pid is only meaningful within one boot and one pid namespace, together with its start time.
 */

export interface ProcessIdentity {
  readonly host: string;
  readonly bootId: string;
  readonly pidNamespace: string;
  readonly pid: number;
  readonly pidStart: string;
}

/** Identifies this process; `host` defaults to the machine's own id. */
export function identify(host?: string): ProcessIdentity {
  return {
    host: host ?? deriveHostId(),
    bootId: bootId(),
    pidNamespace: pidNamespace(),
    pid: process.pid,
    pidStart: statusOf(process.pid)?.start ?? '',
  };
}

/**
 * True only if the process cannot be alive. A node with a different host, boot or pid namespace is
 * never judged by its pid, which may belong to an unrelated process here. The host alone proves
 * nothing, since its id may be configured or copied; the kernel generates a new boot id at each
 * boot.
 */
export function isProvablyDead(node: ProcessIdentity, self: ProcessIdentity): boolean {
  if (node.host !== self.host || node.bootId !== self.bootId || node.bootId === '') return false;
  if (node.pidNamespace !== self.pidNamespace) return false;
  if (!exists(node.pid)) return true;
  const status = statusOf(node.pid);
  // The process exists but is not readable (another user's, or hidden), so nothing is proven.
  if (status === null) return false;
  if (status.ended) return true;
  return node.pidStart !== '' && status.start !== node.pidStart;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that the process belongs to another user. Only ESRCH means that there is no such
    // process.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

interface ProcessStatus {
  readonly start: string;
  /** Also true for a zombie, which has exited but has not been reaped by its parent yet. */
  readonly ended: boolean;
}

function statusOf(pid: number): ProcessStatus | null {
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
 * Counts the fields of /proc/<pid>/stat after the last parenthesis: the second field is the
 * program's name, which may contain spaces and parentheses.
 */
export function parseStat(stat: string): ProcessStatus {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0] ?? '';
  return { start: fields[19] ?? '', ended: state === 'Z' || state === 'X' };
}

const MACHINE_ID_FILES = ['/etc/machine-id', '/var/lib/dbus/machine-id'];

/**
 * An id for this machine: its machine-id, hashed because it is meant to be private (machine-id(5)),
 * or its host name if there is none. The machine-id and the host name may change or appear later,
 * so a permanent id is stored (node/host-id.ts).
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

/** In a system image, the file is empty or contains "uninitialized"; the first boot fills it in. */
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
    // Two processes with unknown namespaces must not appear to share a namespace.
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
      // `ps` prints the start time in the caller's language and time zone.
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    }).trim();
  } catch {
    return null;
  }
}
