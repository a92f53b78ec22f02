/** Hides passwords in anything that looks like a URL, even if it does not parse as one. */
export function maskCredentials(text: string): string {
  return text
    .replace(/(:\/\/[^/?#:@]*):[^/?#]*@/g, '$1:***@')
    .replace(/(:\/\/[^@\s]*?):[^@\s]*@/g, '$1:***@')
    .replace(/([?&;](?:password|sslpassword|token)=)[^&;#\s]*/gi, '$1***');
}
