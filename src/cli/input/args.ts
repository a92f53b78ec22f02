import { parseArgs } from 'node:util';
import type { z } from 'zod';
import { maskCredentials } from '../../config/mask-url.ts';
import { nearest } from '../../config/nearest.ts';
import { usageError } from '../../config/user-error.ts';

/** A flag without a value. */
export interface Toggle {
  readonly short?: string;
  readonly help: string;
}

/** A flag with a value, parsed by its schema. */
export interface Valued<T = unknown> {
  readonly short?: string;
  /** The placeholder for the value in help. */
  readonly value: string;
  readonly schema: z.ZodType<T, string>;
  /** Completes the sentence "it must be …". */
  readonly expected: string;
  readonly help: string;
  /** May be repeated; all values are kept. */
  readonly many?: boolean;
}

/** Flags by their long names. */
export type Flags = Readonly<Record<string, Toggle | Valued>>;

export type Given<F extends Flags> = {
  readonly [K in keyof F]: F[K] extends Valued<infer T>
    ? (F[K] extends { readonly many: true } ? readonly T[] : T) | undefined
    : boolean;
};

export interface Arguments<F extends Flags = Flags> {
  readonly flags: Given<F>;
  readonly words: readonly string[];
}

const isValued = (flag: Toggle | Valued): flag is Valued => 'schema' in flag;

/** Reads the arguments of a command. Throws a UserError that names the wrong argument. */
export function readArguments<F extends Flags>(args: readonly string[], flags: F): Arguments<F> {
  const { tokens } = parseArgs({
    args: [...args],
    // Not strict, because the errors of strict mode would show values and suggest nothing for a
    // typo.
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries(
      Object.entries(flags).map(([name, flag]) => [
        name,
        {
          type: isValued(flag) ? ('string' as const) : ('boolean' as const),
          ...(flag.short === undefined ? {} : { short: flag.short }),
        },
      ]),
    ),
  });
  const given: Record<string, unknown> = {};
  for (const [name, flag] of Object.entries(flags)) {
    if (!isValued(flag)) given[name] = false;
  }
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const flag = Object.hasOwn(flags, token.name) ? flags[token.name] : undefined;
    if (flag === undefined) throw unknownFlag(token.rawName, flags);
    const value = isValued(flag)
      ? parseValue(token.rawName, token.value, flag)
      : parseToggle(token.rawName, token.value);
    const many = isValued(flag) && flag.many === true;
    given[token.name] = many ? [...((given[token.name] as unknown[]) ?? []), value] : value;
  }
  return { flags: given as Given<F>, words };
}

function parseToggle(name: string, value: string | undefined): true {
  if (value === undefined) return true;
  throw usageError({
    what: `${name} does not take a value.`,
    why: 'it is a switch.',
    todo: `write ${name} without a value.`,
  });
}

function parseValue(name: string, value: string | undefined, flag: Valued): unknown {
  if (value === undefined) {
    throw usageError({
      what: `${name} needs a value.`,
      why: 'nothing follows it.',
      todo: `write ${name} ${flag.value}, or leave it out.`,
    });
  }
  const result = flag.schema.safeParse(value);
  if (result.success) return result.data;
  throw usageError({
    what: `${name} has an invalid value: "${maskCredentials(value)}".`,
    why: `it must be ${flag.expected}.`,
    todo: `correct ${name}, or leave it out.`,
  });
}

function unknownFlag(name: string, flags: Flags): Error {
  const known = Object.keys(flags).map((each) => `--${each}`);
  const closest = nearest(name, known);
  const list = known.length === 0 ? 'takes no flags' : `takes ${known.join(', ')}`;
  return usageError({
    what: `Unknown flag: ${name}.`,
    why: closest
      ? `this command has no such flag; the closest is ${closest}.`
      : `this command ${list}.`,
    todo: `${closest ? `write ${closest}` : 'remove it'}; put text that begins with a dash after "--".`,
  });
}

/** Removes `--json` from arguments that are parsed elsewhere. */
export function takeJson(args: readonly string[]): { json: boolean; rest: string[] } {
  const rest = args.filter((arg) => arg !== '--json');
  return { json: rest.length < args.length, rest };
}
