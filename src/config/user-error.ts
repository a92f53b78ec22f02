/**
 * A mistake the person at the keyboard can fix. Shown as three lines, without a stack: what
 * happened, why, what to do.
 */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly exitCode: number;

  constructor(
    text: { what: string; why: string; todo: string },
    options: { exitCode?: number; cause?: unknown } = {},
  ) {
    super(`${text.what}\nWhy: ${text.why}\nWhat to do: ${text.todo}`, { cause: options.cause });
    this.exitCode = options.exitCode ?? 1;
  }
}

/** The command line or the environment is wrong: exit code 2, as shells and tools have it. */
export function usageError(text: { what: string; why: string; todo: string }): UserError {
  return new UserError(text, { exitCode: 2 });
}
