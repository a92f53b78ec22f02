/** Text that is already HTML; everything else is escaped when it is inserted in a page. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | readonly Part[] | null;

/**
 * ``html`<p>${text}</p>` ``: values are escaped unless they are HTML, lists are joined, and null is
 * left out.
 */
export function html(texts: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(texts.map((text, i) => text + render(parts[i] ?? null)).join(''));
}

/** Text with `code` in backticks, as in Markdown. */
export const prose = (text: string): Html =>
  new Html(escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>'));

function render(part: Part): string {
  if (part === null) return '';
  if (part instanceof Html) return part.text;
  if (Array.isArray(part)) return part.map(render).join('');
  return escaped(String(part));
}

const NAMES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => NAMES[char] ?? '');
