/** A field that may be undefined in `T` becomes optional. */
export type Defined<T> = {
  readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & { readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };

/**
 * The fields that are not undefined. With `exactOptionalPropertyTypes`, an optional field must be
 * absent instead.
 */
export const defined = <T extends object>(fields: T): Defined<T> =>
  Object.fromEntries(
    Object.entries(fields).filter((entry) => entry[1] !== undefined),
  ) as Defined<T>;
