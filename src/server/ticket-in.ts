/** The ticket in an address and the path that it has to be for; null if there is none, or two. */
export function ticketIn(url: string): { readonly value: string; readonly path: string } | null {
  const at = url.indexOf('?');
  if (at === -1) return null;
  const [value, ...others] = new URLSearchParams(url.slice(at)).getAll('ticket');
  return value === undefined || others.length > 0 ? null : { value, path: url.slice(0, at) };
}
