import type { LinkProps } from '@tanstack/react-router';
import type { LucideIcon } from 'lucide-react';
import type { ComponentType } from 'react';
import type { Right } from '../../src/contract/access.ts';
import type { Language } from '../texts/language.ts';

/** A page that the navigation leads to: the sidebar, the tabs on phones, the palette and a key. */
export interface NavPage {
  readonly to: NonNullable<LinkProps['to']>;
  readonly name: Readonly<Record<Language, string>>;
  readonly icon: LucideIcon;
  /** A letter, or `g` and a letter. */
  readonly keys?: string;
  /** The right that the page needs. */
  readonly needs?: Right;
  /**
   * Its place among the tabs on phones and, if its name is too long for a fifth of 360 pixels, a
   * shorter name.
   */
  readonly tab?: { readonly place: number; readonly name?: Readonly<Record<Language, string>> };
  /** A number beside the name. */
  readonly badge?: ComponentType<{ readonly className?: string }>;
}

export const pagesFor = (pages: readonly NavPage[], rights: readonly Right[]): NavPage[] =>
  pages.filter(({ needs }) => needs === undefined || rights.includes(needs));
