import { z } from 'zod';

/** What the form sends: a code or a token, and where to go afterwards. */
const Form = z.union([
  z.strictObject({ code: z.string().min(1).max(100), next: z.string().optional() }),
  z.strictObject({
    token: z
      .string()
      .trim()
      .regex(/^[\x21-\x7e]{1,512}$/),
    next: z.string().optional(),
  }),
]);
export type Form = z.infer<typeof Form>;

/** Null if the body was not sent by the form. */
export function parseForm(body: unknown): Form | null {
  if (typeof body !== 'string') return null;
  const pairs = [...new URLSearchParams(body)];
  const fields = Object.fromEntries(pairs);
  if (Object.keys(fields).length !== pairs.length) return null;
  return Form.safeParse(fields).data ?? null;
}

/** A path on this server; `/` for anything that could lead elsewhere. */
export function safeNext(next: string | undefined): string {
  const isPath = next !== undefined && next.length <= 500 && /^\/(?!\/)[\x21-\x7e]*$/.test(next);
  return isPath && !next.includes('//') && !next.includes('\\') ? next : '/';
}
