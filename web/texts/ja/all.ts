import type { Texts } from '../en/all.ts';
import { first } from './first.ts';
import { rest } from './rest.ts';

export const ja: Texts = { ...first, ...rest };
