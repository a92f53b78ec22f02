import { type ReactNode, useId } from 'react';

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** Validation error. */
  readonly error?: string | undefined;
  readonly children: (props: {
    id: string;
    'aria-invalid': boolean;
    'aria-describedby': string | undefined;
    className: string;
  }) => ReactNode;
}

export const INPUT =
  'w-full rounded border border-line bg-paper px-2.5 py-1.5 min-h-9 max-md:min-h-11 text-ink aria-invalid:border-bad';

/** A labelled input with its hint and error. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const described = error !== undefined ? `${id}-error` : hint ? `${id}-hint` : undefined;
  return (
    <div className="mb-4">
      <label htmlFor={id} className="mb-1 block font-medium">
        {label}
      </label>
      {children({
        id,
        'aria-invalid': error !== undefined,
        'aria-describedby': described,
        className: INPUT,
      })}
      {error !== undefined ? (
        <p id={`${id}-error`} role="alert" className="mt-1 text-dense text-bad">
          {error}
        </p>
      ) : (
        hint && (
          <p id={`${id}-hint`} className="mt-1 text-dense text-soft">
            {hint}
          </p>
        )
      )}
    </div>
  );
}
