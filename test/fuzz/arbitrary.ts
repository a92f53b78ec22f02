import fc from 'fast-check';
import type { JsonSchema } from '../../src/server/openapi/schemas.ts';
import { hostileText, hostileValue } from './hostile.ts';

type Components = Record<string, JsonSchema>;
type Value = fc.Arbitrary<unknown>;

/** Values that fit a schema, as far as JSON Schema expresses it. */
export function fitting(schema: JsonSchema, components: Components): Value {
  const { $ref, type, properties = {} } = schema;
  const within = (inner: unknown) => fitting((inner ?? {}) as JsonSchema, components);
  if ($ref === '#/components/schemas/Json') return fc.jsonValue({ maxDepth: 2 });
  if ($ref !== undefined) return within(components[$ref.slice($ref.lastIndexOf('/') + 1)]);
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...schema['enum']);
  if (Array.isArray(schema['anyOf'])) return fc.oneof(...schema['anyOf'].map(within));
  if (type === 'null') return fc.constant(null);
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') return fc.integer(rangeOf(schema));
  if (type === 'number') return fc.double({ ...rangeOf(schema), noNaN: true });
  if (type === 'string') return textFitting(schema);
  if (type === 'array') {
    const maxLength = Math.min(Number(schema['maxItems'] ?? 3), 3);
    return fc.array(within(schema['items']), {
      minLength: Number(schema['minItems'] ?? 0),
      maxLength,
    });
  }
  const fields = Object.entries(properties).map(([name, inner]) => [name, within(inner)] as const);
  if (fields.length === 0) return fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue());
  return fc.record(Object.fromEntries(fields), {
    requiredKeys: [...(schema.required ?? [])],
    noNullPrototype: true,
  });
}

function rangeOf({ minimum, maximum }: JsonSchema) {
  return {
    ...(minimum === undefined ? {} : { min: Number(minimum) }),
    ...(maximum === undefined ? {} : { max: Number(maximum) }),
  };
}

function textFitting(schema: JsonSchema): fc.Arbitrary<string> {
  if (schema['format'] === 'uuid') return fc.uuid({ version: 7 });
  if (schema['format'] === 'date-time') {
    const [min, max] = [new Date('1970-01-01'), new Date('2030-01-01')];
    return fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString());
  }
  const minLength = Number(schema['minLength'] ?? 0);
  const maxLength = Math.max(minLength, Math.min(Number(schema['maxLength'] ?? 40), 40));
  const pattern = new RegExp(String(schema['pattern'] ?? ''), 'u');
  const fits = (text: string) => pattern.test(text);
  const plain = fc.string({
    unit: fc.constantFrom(...'abcXYZ019_-あア漢'),
    minLength,
    maxLength,
    size: 'max',
  });
  const path = plain.map((text) => `/${text}`.slice(0, maxLength));
  const any = fc.string({ unit: 'grapheme', minLength, maxLength, size: 'max' });
  // Where few texts fit, filtering for one would take minutes.
  const often = [plain, path, any].filter(
    (texts) => fc.sample(texts, { numRuns: 50, seed: 1 }).filter(fits).length >= 20,
  );
  if (often.length === 0) return fc.stringMatching(pattern).filter((text) => text.length <= 500);
  return fc.oneof(...often.map((texts) => texts.filter(fits)));
}

/** A value that fits except for one field, which is changed, missing or superfluous. */
export function nearly(value: Value): Value {
  return fc
    .tuple(value, fc.nat(), hostileValue, hostileText, fc.constantFrom('replace', 'remove', 'add'))
    .map(([whole, at, hostile, name, how]) => {
      const objects = objectsIn(whole);
      const object = objects[at % Math.max(1, objects.length)];
      if (object === undefined) return hostile;
      const keys = Object.keys(object);
      const key = keys[at % Math.max(1, keys.length)] ?? name;
      if (how === 'remove') delete object[key];
      else define(object, how === 'add' ? name : key, hostile);
      return whole;
    });
}

/** Also works for a name such as `__proto__`. */
const define = (object: object, name: string, value: unknown) =>
  Object.defineProperty(object, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });

function objectsIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value as Record<string, unknown>, ...Object.values(value).flatMap(objectsIn)];
}
