import type { Texts } from '../texts/en/all.ts';

/*
 * Why the tool rules require approval. The server gives the reason in English
 * (src/policy/tools/decide.ts, and about links src/sessions/rules/judge-call.ts); known phrases are
 * translated, and anything else is shown unchanged.
 */

type Words = Texts['approvals']['why'];

const LINKED = /^(.+); through a link it leads to (.+)$/s;
const NOT_FOLLOWED = /^(.+); it has too many names to see where its links lead$/s;
const UNKNOWN_LINK = /^(.+); it is unknown where its links lead$/s;
const STEERED = /^(.+); the run was steered from (\w+)$/s;
const BY_RULE =
  /^"(.+)" requires approval under the (enforced )?rules of the (session|channel|whole server)(?: \w+, on which the credential was created)?$/s;
const DOUBT = /^(the command contains .+: )?it is uncertain whether "(.+)" matches$/s;
const UNLISTED = /^(the command contains .+: )?no rule covers it, /s;
const OWN_FILES = "it may reach Baton's own files";
const PERSON = 'it is a question for a person, so only a person can answer it';

/** Null if no explanation is needed. */
export function whyOf(
  reason: string,
  words: Words,
  channels: Texts['common']['channels'],
): string | null {
  const unknownLink = UNKNOWN_LINK.exec(reason);
  if (unknownLink !== null) {
    return words.unknownLink(whyOf(unknownLink[1]!, words, channels) ?? '').trim();
  }
  const linked = LINKED.exec(reason);
  if (linked !== null) {
    return words.linked(whyOf(linked[1]!, words, channels) ?? '', linked[2]!).trim();
  }
  const notFollowed = NOT_FOLLOWED.exec(reason);
  if (notFollowed !== null) {
    return words.notFollowed(whyOf(notFollowed[1]!, words, channels) ?? '').trim();
  }
  const steered = STEERED.exec(reason);
  if (steered !== null) {
    const [, first, channel] = steered as unknown as [string, string, keyof typeof channels];
    const name = Object.hasOwn(channels, channel) ? channels[channel] : channel;
    return words.steered(whyOf(first, words, channels) ?? '', name).trim();
  }
  if (reason === PERSON) return null;
  if (reason === OWN_FILES) return words.ownFiles;
  const byRule = BY_RULE.exec(reason);
  if (byRule !== null) return (byRule[2] ? words.enforced : words.byRule)(byRule[1]!);
  const doubt = DOUBT.exec(reason);
  if (doubt !== null) return words.doubt(doubt[2]!);
  const unlisted = UNLISTED.exec(reason);
  if (unlisted !== null) return unlisted[1] === undefined ? words.unlisted : words.notPlain;
  return reason;
}
