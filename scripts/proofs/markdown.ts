/** Text of a test title as Markdown that shows it literally, except that code stays code. */
export const escaped = (text: string): string =>
  text
    .replaceAll(/`[^`]*`|[\\*_[\]<>|$`]/g, (match) => (match.length > 1 ? match : `\\${match}`))
    .replaceAll(/\s+/g, ' ');

/**
 * A link to a file of the project, from a page in `docs/`. The names of suites, such as `store.ts`,
 * say nothing without their folder.
 */
export function fileLink(file: string): string {
  const segments = file.split('/').slice(file.includes('.test.') ? -1 : -2);
  return `[${segments.join('/')}](../${file})`;
}

export const anchored = (number: string): string =>
  `[${number}](proofs.md#${number.toLowerCase()})`;

export const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;
