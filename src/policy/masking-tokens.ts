import { type TokenPattern, tokenRule } from './masking-pattern.ts';
import { firstVerdict, type Rule, type Verdict, type View } from './masking-rule.ts';

/** Tokens that tell what they are by how they begin. The first that fits counts. */
const TOKENS: readonly TokenPattern[] = [
  ...['ghp_', 'gho_', 'ghu_', 'ghr_'].map(
    (start): TokenPattern => ({
      name: 'GITHUB_TOKEN',
      source: `${start}[A-Za-z0-9_]{20,}`,
      anywhere: true,
    }),
  ),
  // Those of apps come in a long form too, with dots and dashes in it.
  { name: 'GITHUB_TOKEN', source: 'ghs_[A-Za-z0-9_]{20,}', anywhere: true, joiners: '.-' },
  { name: 'GITHUB_TOKEN', source: 'github_pat_[A-Za-z0-9_]{20,}', anywhere: true },

  { name: 'ANTHROPIC_KEY', source: 'sk-ant-api[A-Za-z0-9_-]+', anywhere: true },
  { name: 'ANTHROPIC_KEY', source: 'sk-ant-oat[A-Za-z0-9_-]+', anywhere: true },
  { name: 'ANTHROPIC_KEY', source: 'sk-ant-[A-Za-z0-9_-]{8,}' },

  { name: 'OPENAI_KEY', source: 'sk-proj-[A-Za-z0-9_-]{16,}', anywhere: true },
  { name: 'OPENAI_KEY', source: 'sk-svcacct-[A-Za-z0-9_-]{16,}', anywhere: true },
  { name: 'OPENAI_KEY', source: 'sk-admin-[A-Za-z0-9_-]{16,}' },
  { name: 'OPENAI_KEY', source: 'sk-[A-Za-z0-9]{20,}' },

  { name: 'AWS_ACCESS_KEY', source: 'AKIA[A-Z0-9]{16,}', anywhere: true },
  { name: 'AWS_ACCESS_KEY', source: 'ASIA[A-Z0-9]{16,}', anywhere: true },

  ...['xoxa-', 'xoxb-', 'xoxe-', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-'].map(
    (start): TokenPattern => ({
      name: 'SLACK_TOKEN',
      source: `${start}[A-Za-z0-9-]{10,}`,
      anywhere: true,
    }),
  ),
  { name: 'SLACK_TOKEN', source: 'xapp-[0-9A-Za-z-]{16,}' },

  { name: 'GITLAB_TOKEN', source: 'glpat-[A-Za-z0-9_-]{20,}' },
  { name: 'GOOGLE_KEY', source: 'AIza[A-Za-z0-9_-]{35,}' },
  { name: 'STRIPE_KEY', source: 'sk_live_[A-Za-z0-9]{16,}' },
  { name: 'STRIPE_KEY', source: 'rk_live_[A-Za-z0-9]{16,}' },
  { name: 'BATON_TOKEN', source: 'baton_[a-z]{2,12}_[A-Za-z0-9_-]{20,}', anywhere: true },
  { name: 'JWT', source: 'eyJ[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}', joiners: '.' },
];

export const tokenNames: readonly string[] = TOKENS.map(({ name }) => name);

export const tokenRules: readonly Rule[] = TOKENS.map(tokenRule);

/** The verdict of the first of them that fits here. */
export const tokenAt = (view: View): Verdict => firstVerdict(tokenRules, view);
