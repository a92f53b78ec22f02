import type { Config } from '../config/config.ts';
import { UserError } from '../config/user-error.ts';

/** Puts the common reasons why a server cannot listen into words; others pass as they are. */
export function explainListenError(error: unknown, { host, port }: Config): unknown {
  const texts: Record<string, { why: string; todo: string }> = {
    EADDRINUSE: {
      why: 'another program, perhaps another Baton, is using this port.',
      todo: 'stop it, or choose another port with --port (0 takes a free one).',
    },
    EACCES: {
      why: 'your user may not use this port.',
      todo: 'choose a port above 1023 with --port.',
    },
    EADDRNOTAVAIL: {
      why: 'this machine has no such address.',
      todo: 'choose another one with --host, such as 127.0.0.1.',
    },
    ENOTFOUND: {
      why: 'this host name is not known.',
      todo: 'choose another one with --host, such as 127.0.0.1.',
    },
  };
  const text = texts[(error as NodeJS.ErrnoException).code ?? ''];
  if (!text) return error;
  return new UserError({ what: `Cannot listen on ${host}:${port}.`, ...text }, { cause: error });
}
