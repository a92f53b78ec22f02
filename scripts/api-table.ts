import { endpointList } from '../src/contract/api/endpoints.ts';

const BEGIN = '<!-- operations: made by `npm run docs` -->\n';
const END = '<!-- end of operations -->';

/** The page with its table of operations regenerated; the rest is written by hand. */
export function withOperations(page: string): string {
  const [begin, end] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)];
  return `${page.slice(0, begin)}${operations()}${page.slice(end)}`;
}

function operations(): string {
  const groups = Map.groupBy(endpointList, ([, { group }]) => group);
  const tables = [...groups].map(([group, all]) => {
    const rows = all.map(
      ([, { method, path, summary }]) => `| \`${method} ${path}\` | ${summary} |`,
    );
    return `### ${group}\n\n| operation | what it does |\n|---|---|\n${rows.join('\n')}\n`;
  });
  return `\n${tables.join('\n')}\n`;
}
