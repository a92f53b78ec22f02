import type { ComponentProps, ReactNode } from 'react';

type Variant = 'primary' | 'plain' | 'quiet' | 'danger';

const VARIANTS: Record<Variant, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-over border-transparent font-medium',
  plain: 'bg-panel text-ink hover:bg-raised border-line',
  quiet: 'bg-transparent text-soft hover:bg-raised hover:text-ink border-transparent',
  danger: 'bg-transparent text-bad hover:bg-bad-soft border-bad',
};

interface ButtonProps extends ComponentProps<'button'> {
  readonly variant?: Variant;
  readonly size?: 'normal' | 'small';
}

export function Button({
  variant = 'plain',
  size = 'normal',
  className = '',
  ...rest
}: ButtonProps) {
  const height = size === 'small' ? 'min-h-7 px-2 text-dense' : 'min-h-9 px-3 max-md:min-h-11';
  return (
    <button
      type="button"
      className={`inline-flex items-center justify-center gap-1.5 rounded border whitespace-nowrap disabled:opacity-60 max-md:min-w-11 ${height} ${VARIANTS[variant]} ${className}`}
      {...rest}
    />
  );
}

interface IconButtonProps extends ComponentProps<'button'> {
  /** Accessible name and tooltip. */
  readonly label: string;
  readonly children: ReactNode;
}

export function IconButton({ label, className = '', ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={`inline-flex size-8 shrink-0 items-center justify-center rounded text-soft hover:bg-raised hover:text-ink disabled:opacity-60 max-md:size-11 ${className}`}
      {...rest}
    />
  );
}
