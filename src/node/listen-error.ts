import type { Config } from '../config/config.ts';
import { UserError } from '../config/user-error.ts';

/** Explains the common reasons why a server cannot listen; other errors are returned unchanged. */
export function explainListenError(error: unknown, { host, port }: Config): unknown {
  const texts: Record<string, { why: string; todo: string }> = {
    EADDRINUSE: {
      why: 'another program, perhaps another Baton server, is using this port.',
      todo: 'stop it, or choose another port with --port (0 picks a free one).',
    },
    EACCES: {
      why: 'your user is not allowed to use this port.',
      todo: 'choose a port above 1023 with --port.',
    },
    EADDRNOTAVAIL: {
      why: 'this machine has no such address.',
      todo: 'choose another one with --host, such as 127.0.0.1.',
    },
    ENOTFOUND: {
      why: 'this host name cannot be resolved.',
      todo: 'choose another one with --host, such as 127.0.0.1.',
    },
  };
  const text = texts[(error as NodeJS.ErrnoException).code ?? ''];
  if (!text) return error;
  return new UserError({ what: `Cannot listen on ${host}:${port}.`, ...text }, { cause: error });
}
