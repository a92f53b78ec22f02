/* Command output as it would look in a terminal. */

/** Escape sequences that set colours, move the cursor or set the window title. */
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences start with one
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_]|[()][0-9A-Za-z])/g;

/** Removes colours and cursor movements; if a line was overwritten, keeps its final content. */
export function plainOutput(text: string): string {
  const plain = text.includes('\u001b') ? text.replace(SEQUENCES, '') : text;
  if (!plain.includes('\r')) return plain;
  return (
    plain
      // Matches each run of carriage returns only once.
      .replace(/(?<!\r)\r+\n/g, '\n')
      .split('\n')
      .map((line) => line.slice(line.lastIndexOf('\r', line.length - 2) + 1).replace(/\r$/, ''))
      .join('\n')
  );
}
