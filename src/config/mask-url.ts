/** Hides passwords in anything shaped like a URL, also in one that does not parse as such. */
export function maskCredentials(text: string): string {
  return text
    .replace(/(:\/\/[^/?#:@]*):[^/?#]*@/g, '$1:***@')
    .replace(/(:\/\/[^@\s]*?):[^@\s]*@/g, '$1:***@')
    .replace(/([?&;](?:password|sslpassword|token)=)[^&;#\s]*/gi, '$1***');
}
