import { approvals } from './approvals.ts';
import { common } from './common.ts';
import { conversation } from './conversation.ts';
import { dashboard } from './dashboard.ts';
import { detail } from './detail.ts';
import { newSession } from './new-session.ts';
import { settings } from './settings.ts';
import { shell } from './shell.ts';

export const en = {
  approvals,
  common,
  conversation,
  dashboard,
  detail,
  newSession,
  settings,
  shell,
};

/** The same words in another language: texts stay texts, sentences with gaps stay functions. */
type Translated<T> = {
  readonly [K in keyof T]: T[K] extends (...args: infer A) => string
    ? (...args: A) => string
    : T[K] extends string
      ? string
      : Translated<T[K]>;
};
export type Texts = Translated<typeof en>;
