export type Status = 'built' | 'partly' | 'not yet' | 'not planned';

/** One requirement of the documents that Baton was designed from. */
export interface Requirement {
  /** Document and section, as the document names it. */
  readonly source: string;
  readonly status: Status;
  /** The rules of the specification that decide it. */
  readonly rules: readonly string[];
  readonly summary: string;
  /** What is missing, or was decided differently. */
  readonly note?: string;
}

export type Requirements = Readonly<Record<string, Requirement>>;

/** `rules` are separated by spaces. */
const withStatus =
  (status: Status) =>
  (source: string, rules: string, summary: string, note?: string): Requirement => ({
    source,
    status,
    rules: rules === '' ? [] : rules.split(' '),
    summary,
    ...(note !== undefined && { note }),
  });

export const built = withStatus('built');
export const partly = withStatus('partly');
export const notYet = withStatus('not yet');
export const notPlanned = withStatus('not planned');
