/* Output of commands as a person at a terminal would have it before them. */

/** Sequences that colour, move the cursor, or name the window. */
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they begin so
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_]|[()][0-9A-Za-z])/g;

/** Without colours and movements; of a line that was written over, what stands there last. */
export function plainOutput(text: string): string {
  const plain = text.includes('\u001b') ? text.replace(SEQUENCES, '') : text;
  if (!plain.includes('\r')) return plain;
  return (
    plain
      // Each run of them is looked at once.
      .replace(/(?<!\r)\r+\n/g, '\n')
      .split('\n')
      .map((line) => line.slice(line.lastIndexOf('\r', line.length - 2) + 1).replace(/\r$/, ''))
      .join('\n')
  );
}
