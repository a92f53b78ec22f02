import { first } from './first.ts';
import { rest } from './rest.ts';

export const en = { ...first, ...rest };

/** The same strings in another language: plain strings stay strings, templates stay functions. */
type Translated<T> = {
  readonly [K in keyof T]: T[K] extends (...args: infer A) => string
    ? (...args: A) => string
    : T[K] extends string
      ? string
      : Translated<T[K]>;
};
export type Texts = Translated<typeof en>;
export type First = Pick<Texts, keyof typeof first>;
export type Rest = Pick<Texts, keyof typeof rest>;
