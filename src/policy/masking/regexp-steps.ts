/*
 * Counts the steps that a backtracking engine takes to match a regular expression. Unlike time, the
 * count is the same on every machine, and counting can stop before an exponential expression blocks
 * the test.
 */

export interface CountedMatch {
  readonly matches: boolean;
  /** How many characters and assertions were tried; more than the limit if counting stopped. */
  readonly steps: number;
}

export interface StepCounter {
  count(text: string, limit: number): CountedMatch;
  /** Text that a random part of the expression would match if it had no assertions. */
  sample(random: () => number): string;
}

type Next = (at: number) => boolean;
interface Node {
  /** Matches at `at` and continues with `next`; false if no way to match succeeds. */
  readonly match: (at: number, next: Next) => boolean;
  readonly sample: (random: () => number) => string;
}

class TooManySteps extends Error {}

/** Supports only the syntax used by the masking expressions, and throws on any other. */
export function stepCounter({ source, flags }: RegExp): StepCounter {
  const samplers: Node['sample'][] = [];
  let text = '';
  let steps = 0;
  let limit = 0;
  let captures: string[] = [];
  let groups = 0;
  let read = 0;

  const step = (): void => {
    steps++;
    if (steps > limit) throw new TooManySteps();
  };
  /** Consumes the part of the source that the pattern matches next. */
  const take = (pattern: RegExp): RegExpExecArray | null => {
    const taken = pattern.exec(source.slice(read));
    read += taken?.[0].length ?? 0;
    return taken;
  };

  function alternatives(): Node {
    const options = [sequence()];
    while (take(/^\|/)) options.push(sequence());
    return {
      match: (at, next) => options.some(({ match }) => match(at, next)),
      sample: (random) => pick(options, random).sample(random),
    };
  }

  function sequence(): Node {
    const parts: Node[] = [];
    while (read < source.length && !/^[|)]/.test(source.slice(read))) parts.push(quantified());
    const match = parts.reduceRight<Node['match']>(
      (rest, part) => (at, next) => part.match(at, (to) => rest(to, next)),
      (at, next) => next(at),
    );
    return { match, sample: (random) => parts.map((part) => part.sample(random)).join('') };
  }

  function quantified(): Node {
    const part = group() ?? assertion() ?? reference() ?? character();
    samplers.push(part.sample);
    const sign = take(/^(?:[*+?]|\{(\d+)(,?)(\d*)\})/);
    if (sign === null) return part;
    const isLazy = take(/^\?/) !== null;
    const [min, max] = bounds(sign);
    const repeat = (count: number, at: number, next: Next): boolean => {
      const stop = (): boolean => count >= min && next(at);
      const more = (): boolean =>
        count < max &&
        part.match(at, (end) => (end > at || count < min) && repeat(count + 1, end, next));
      return isLazy ? stop() || more() : more() || stop();
    };
    const sample = (random: () => number): string => {
      const most = Math.min(max, min + 80);
      const count = pick([min, most, min + Math.floor(random() * (most - min + 1))], random);
      return Array.from({ length: count }, () => part.sample(random)).join('');
    };
    samplers.push(sample);
    return { match: (at, next) => repeat(0, at, next), sample };
  }

  function group(): Node | null {
    const kind = take(/^\((?:\?[:=!])?/)?.[0];
    if (kind === undefined) return null;
    const index = kind === '(' ? ++groups : 0;
    const { match, sample } = alternatives();
    if (take(/^\)/) === null) throw notUnderstood();
    if (kind === '(?:') return { match, sample };
    if (kind !== '(') {
      const holds = kind === '(?=';
      return {
        match: (at, next) => match(at, () => true) === holds && next(at),
        sample: () => '',
      };
    }
    const capture = (at: number, to: number, next: Next): boolean => {
      const before = captures;
      captures = captures.with(index, text.slice(at, to));
      if (next(to)) return true;
      captures = before;
      return false;
    };
    return { match: (at, next) => match(at, (to) => capture(at, to, next)), sample };
  }

  function assertion(): Node | null {
    const sign = take(/^(?:[\^$]|\\b)/)?.[0];
    if (sign === undefined) return null;
    const holds = (at: number): boolean => {
      step();
      if (sign === '^') return at === 0;
      if (sign === '$') return at === text.length;
      return /\w/.test(text.charAt(at - 1)) !== /\w/.test(text.charAt(at));
    };
    return { match: (at, next) => holds(at) && next(at), sample: () => '' };
  }

  function reference(): Node | null {
    const index = take(/^\\([1-9])/)?.[1];
    if (index === undefined) return null;
    const match: Node['match'] = (at, next) => {
      step();
      const captured = captures[Number(index)]!;
      return text.startsWith(captured, at) && next(at + captured.length);
    };
    return { match, sample: () => '' };
  }

  function character(): Node {
    const atom = take(ATOM)?.[0];
    if (atom === undefined) throw notUnderstood();
    const one = new RegExp(`^${atom}$`, flags.replace('g', ''));
    const members = ASCII.filter((char) => one.test(char));
    const known = new Set(members);
    const isMember = (char: string): boolean =>
      char < '\u0080' ? known.has(char) : one.test(char);
    const match: Node['match'] = (at, next) => {
      step();
      return at < text.length && isMember(text[at]!) && next(at + 1);
    };
    return { match, sample: (random) => (members.length === 0 ? '' : pick(members, random)) };
  }

  const notUnderstood = (): Error => new Error(`Not understood: ${source.slice(read)}`);

  const { match } = alternatives();
  if (read < source.length) throw notUnderstood();
  return {
    sample: (random) => pick(samplers, random)(random),
    count(given, most) {
      text = given;
      steps = 0;
      limit = most;
      try {
        for (let from = 0; from <= text.length; from++) {
          captures = Array.from({ length: groups + 1 }, () => '');
          if (match(from, () => true)) return { matches: true, steps };
        }
      } catch (error) {
        if (!(error instanceof TooManySteps)) throw error;
      }
      return { matches: false, steps };
    },
  };
}

const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
/** What matches one character: `a`, `\s`, `[^\n]`. */
const ATOM =
  /^(?:\[(?:[^\]\\]|\\.)+\]|\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[^1-9])|[^\\()[\]*+?{|])/s;

function bounds([sign, from, comma, to]: RegExpExecArray): [min: number, max: number] {
  if (from === undefined)
    return [sign === '+' ? 1 : 0, sign === '?' ? 1 : Number.POSITIVE_INFINITY];
  if (comma === '') return [Number(from), Number(from)];
  return [Number(from), to === '' ? Number.POSITIVE_INFINITY : Number(to)];
}

const pick = <T>(from: readonly T[], random: () => number): T =>
  from[Math.floor(random() * from.length)]!;
