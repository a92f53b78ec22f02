/** The longest host name, with a port. */
const HOST_MAX = 253 + ':65535'.length;

/**
 * Null if the text is not a URL, or if its host is longer than any host: parsing such a host takes
 * quadratic time if it is not ASCII. `canParse` is not used, because it accepts long hosts for which
 * the constructor throws.
 */
export function parseUrl(text: string): URL | null {
  // The parser ignores these characters wherever they are.
  const url = text.replace(/[\t\n\r]/g, '').replace(/^[\0- ]+/, '');
  const [, host = ''] = /^[a-z][a-z\d+.-]*:[\\/]*(?:[^\\/?#]*@)?([^\\/?#]*)/i.exec(url) ?? [];
  return host.length > HOST_MAX ? null : URL.parse(url);
}
