/**
 * A mistake that the user can fix. Shown as three lines, without a stack: what happened, why, and
 * what to do.
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

/** A mistake in the command line or the environment: exit code 2, as is common for tools. */
export function usageError(text: { what: string; why: string; todo: string }): UserError {
  return new UserError(text, { exitCode: 2 });
}
