/** The result of one check of `baton doctor`, and how to fix the problem. */
export interface Finding {
  readonly name: string;
  /** A note is something worth knowing; a problem prevents Baton from working. */
  readonly state: 'ok' | 'note' | 'problem';
  readonly text: string;
  readonly fix?: string;
}
