/*
 * Finds the risky parts of a command. This is only a warning; the tool rules decide what may run.
 */

export type Risk =
  | 'deletes'
  | 'overwrites'
  | 'publishes'
  | 'asRoot'
  | 'network'
  | 'runsText'
  | 'rights'
  | 'stops';

export interface Piece {
  readonly text: string;
  readonly risk: Risk | null;
}

/**
 * Where a command may start: at the beginning, after an operator, in a substitution or after a
 * wrapper.
 */
const START = String.raw`(?<=^|[;&|(\n\x60]\s*|\b(?:sudo|doas|xargs|env|nohup|time|exec|then|do|else)\s+(?:-\S+\s+)*|(?:-exec|-c)\s+["']?)`;
/** The rest of one simple command. */
const REST = String.raw`[^;&|\n]*`;

const rule = (risk: Risk, body: string): readonly [Risk, RegExp] => [
  risk,
  new RegExp(START + body, 'g'),
];
const anywhere = (risk: Risk, body: string): readonly [Risk, RegExp] => [
  risk,
  new RegExp(body, 'g'),
];

const RULES: readonly (readonly [Risk, RegExp])[] = [
  rule('asRoot', String.raw`(?:sudo|doas|su)\b`),
  rule('deletes', String.raw`(?:rm|rmdir|unlink|shred|truncate|mkfs(?:\.\w+)?|dd)\b${REST}`),
  rule('deletes', String.raw`find\b${REST}-delete\b${REST}`),
  rule(
    'deletes',
    String.raw`git\s+(?:reset\s+--hard|clean\b|checkout\s+(?:-f|--force|--)|branch\s+-D|stash\s+(?:drop|clear))${REST}`,
  ),
  rule(
    'deletes',
    String.raw`(?:kubectl|helm|docker|terraform|aws|gcloud)\b${REST}\b(?:delete|destroy|rm|prune|uninstall)\b${REST}`,
  ),
  anywhere(
    'deletes',
    String.raw`\b(?:DROP|TRUNCATE)\s+(?:TABLE|DATABASE|SCHEMA)\b[^;'"\n]*|\bDELETE\s+FROM\b[^;'"\n]*`,
  ),
  rule('publishes', String.raw`git\s+(?:\S+\s+)*?push\b${REST}`),
  rule(
    'publishes',
    String.raw`(?:npm|pnpm|yarn|cargo|twine|gem|docker)\s+(?:publish|upload|push)\b${REST}`,
  ),
  rule(
    'publishes',
    String.raw`gh\s+(?:pr|release|issue|repo)\s+(?:create|merge|delete|close|edit)\b${REST}`,
  ),
  rule('rights', String.raw`(?:chmod|chown|chgrp|setfacl|visudo|usermod|useradd|passwd)\b${REST}`),
  rule('stops', String.raw`(?:kill|pkill|killall|shutdown|reboot|halt|poweroff)\b${REST}`),
  rule('stops', String.raw`(?:systemctl|service)\s+${REST}`),
  anywhere(
    'runsText',
    String.raw`\|\s*(?:sudo\s+)?(?:ba|z|da|k|fi)?sh\b|\|\s*(?:python3?|node|perl|ruby)\b`,
  ),
  rule('runsText', String.raw`(?:eval|source)\b${REST}`),
  rule('network', String.raw`(?:curl|wget|scp|rsync|ssh|sftp|nc|ncat|telnet|ftp)\b${REST}`),
  // `2>&1` and `>/dev/null` do not write to a file; `>>` appends to one.
  anywhere(
    'overwrites',
    String.raw`(?<![0-9&>=-])[12&]?>\|?(?![>&(=])\s*(?!/dev/(?:null|stdout|stderr)\b)[^\s;&|<>)]+`,
  ),
  rule('overwrites', String.raw`(?:sed\s+(?:-\S+\s+)*-i|tee(?!\s+-a)|mv\b)${REST}`),
];

/** Splits the command into pieces. Where risks overlap, the first in the table wins. */
export function piecesOf(command: string): Piece[] {
  const risks = new Array<Risk | null>(command.length).fill(null);
  for (const [risk, pattern] of RULES) {
    for (const { index, 0: match } of command.matchAll(pattern)) {
      const end = index + match.trimEnd().length;
      for (let at = index; at < end; at++) risks[at] ??= risk;
    }
  }
  const pieces: Piece[] = [];
  for (let at = 0; at < command.length; ) {
    let end = at + 1;
    while (end < command.length && risks[end] === risks[at]) end++;
    pieces.push({ text: command.slice(at, end), risk: risks[at]! });
    at = end;
  }
  return pieces;
}

export interface BlankLines {
  readonly blankLines: number;
}

export interface CommandView {
  readonly parts: readonly (Piece | BlankLines)[];
  readonly risks: readonly Risk[];
  /** False if the command is too long to check. */
  readonly isChecked: boolean;
}

/** The patterns would take too long on longer commands. */
const LENGTH_MAX = 4000;
/** More blank lines in a row would only push the rest out of view. */
const BLANK_LINES = /\n(?:[ \t]*\n){3,}/g;

/** The command as shown: long runs of blank lines replaced by their count, risks highlighted. */
export function viewOf(command: string): CommandView {
  const gaps = [...command.matchAll(BLANK_LINES)];
  const starts = [0, ...gaps.map(({ index, 0: gap }) => index + gap.length)];
  const texts = starts.map((start, at) => command.slice(start, gaps[at]?.index));
  const isChecked = texts.join('').length <= LENGTH_MAX;
  const parts = texts.flatMap((text, at): (Piece | BlankLines)[] => [
    ...(isChecked ? piecesOf(text) : [{ text, risk: null }]),
    ...(at < gaps.length ? [{ blankLines: gaps[at]![0].split('\n').length - 2 }] : []),
  ]);
  const pieces = parts.filter((part) => 'text' in part);
  return { parts, risks: risksOf(pieces), isChecked };
}

const risksOf = (pieces: readonly Piece[]): Risk[] => [
  ...new Set(pieces.flatMap(({ risk }) => (risk === null ? [] : [risk]))),
];
