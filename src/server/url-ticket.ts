/** The ticket in a URL, and the path it must be valid for; null unless there is exactly one. */
export function ticketOfUrl(url: string): { readonly value: string; readonly path: string } | null {
  const at = url.indexOf('?');
  if (at === -1) return null;
  const [value, ...others] = new URLSearchParams(url.slice(at)).getAll('ticket');
  return value === undefined || others.length > 0 ? null : { value, path: url.slice(0, at) };
}
