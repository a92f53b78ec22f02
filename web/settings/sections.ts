import type { Right } from '../../src/contract/access.ts';

/** The sections of the settings, and the right each one needs. */
export const SECTIONS = {
  profile: 'read',
  tokens: 'account',
  users: 'admin',
  rules: 'admin',
  audit: 'admin',
  nodes: 'admin',
} as const satisfies Record<string, Right>;
export type SectionName = keyof typeof SECTIONS;

export const isSection = (name: string): name is SectionName => Object.hasOwn(SECTIONS, name);

export const mayOpen = (section: SectionName, rights: readonly Right[]): boolean =>
  rights.includes(SECTIONS[section]);

export const sectionsFor = (rights: readonly Right[]): SectionName[] =>
  (Object.keys(SECTIONS) as SectionName[]).filter((each) => mayOpen(each, rights));
