const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** `70 B`, `2.3 KiB`, `14 MiB`. */
export function sizeOf(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const count = bytes / 1024 ** power;
  return `${count.toFixed(power > 0 && count < 9.95 ? 1 : 0)} ${UNITS[power]}`;
}
