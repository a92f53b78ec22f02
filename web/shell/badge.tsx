/** How many wait. */
export function Badge({ count, label }: { count: number; label: string }) {
  return (
    <span
      role="img"
      aria-label={label}
      title={label}
      className="figures rounded-full bg-accent px-1.5 text-xs text-on-accent"
    >
      {count}
    </span>
  );
}
