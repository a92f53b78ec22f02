import type { Json } from '../../src/contract/values/json.ts';
import type { Fields } from './tool-call.ts';

/* Converts an agent's input to editable fields and back. */

export interface EditField {
  readonly name: string;
  /** How the field is edited; `json` is anything other than text, a number or a boolean. */
  readonly as: 'text' | 'number' | 'flag' | 'json';
  readonly value: string;
}

export type EditProblem = 'notJson' | 'notANumber' | 'otherShape';

export function toEditFields(input: Fields): EditField[] {
  return Object.entries(input).map(([name, value]) => {
    if (typeof value === 'string') return { name, as: 'text', value };
    if (typeof value === 'number') return { name, as: 'number', value: String(value) };
    if (typeof value === 'boolean') return { name, as: 'flag', value: String(value) };
    return { name, as: 'json', value: JSON.stringify(value, null, 2) };
  });
}

export type Edited =
  | { readonly input: Record<string, Json>; readonly problems?: never }
  | { readonly input?: never; readonly problems: ReadonlyMap<string, EditProblem> };

/** The edited input, or the errors by field. */
export function fromEditFields(fields: readonly EditField[], original: Fields): Edited {
  const input: Record<string, Json> = {};
  const problems = new Map<string, EditProblem>();
  for (const field of fields) {
    const value = read(field);
    if (value instanceof Wrong) problems.set(field.name, value.problem);
    else if (field.as === 'json' && shapeOf(value) !== shapeOf(original[field.name])) {
      problems.set(field.name, 'otherShape');
    } else input[field.name] = value;
  }
  return problems.size === 0 ? { input } : { problems };
}

class Wrong {
  readonly problem: EditProblem;
  constructor(problem: EditProblem) {
    this.problem = problem;
  }
}

function read({ as, value }: EditField): Json | Wrong {
  switch (as) {
    case 'text':
      return value;
    case 'flag':
      return value === 'true';
    case 'number': {
      const number = Number(value);
      return value.trim() === '' || !Number.isFinite(number) ? new Wrong('notANumber') : number;
    }
    case 'json':
      try {
        return JSON.parse(value) as Json;
      } catch {
        return new Wrong('notJson');
      }
  }
}

const shapeOf = (value: unknown): string => {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
};

/** The field that a server error names: `input.edits.0` is `edits`. */
export const fieldOf = (details: unknown): string | null => {
  const field =
    typeof details === 'object' && details !== null && 'field' in details ? details.field : null;
  return typeof field === 'string' ? (/^input\.([^.]+)/.exec(field)?.[1] ?? null) : null;
};
