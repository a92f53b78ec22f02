import { type TokenPattern, tokenRule } from './pattern.ts';
import { firstVerdict, type Rule, type Verdict, type View } from './rule.ts';

/** Tokens with a known prefix. The first match is used. */
const TOKENS: readonly TokenPattern[] = [
  ...['ghp_', 'gho_', 'ghu_', 'ghr_'].map(
    (start): TokenPattern => ({
      name: 'GITHUB_TOKEN',
      source: `${start}[A-Za-z0-9_]{20,}`,
      anywhere: true,
    }),
  ),
  // App tokens also have a long form, with dots and dashes.
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

  ...['services', 'workflows', 'triggers'].map(
    (kind): TokenPattern => ({
      name: 'SLACK_WEBHOOK',
      source: `hooks\\.slack\\.com/${kind}/[A-Za-z0-9/_-]{16,}`,
    }),
  ),
  ...['discord', 'discordapp'].map(
    (host): TokenPattern => ({
      name: 'DISCORD_WEBHOOK',
      source: `${host}\\.com/api/webhooks/[0-9]{8,}/[A-Za-z0-9_-]{16,}`,
    }),
  ),

  ...['glpat-', 'glrt-', 'gldt-', 'glptt-', 'glcbt-', 'glft-', 'glsoat-', 'glagent-'].map(
    (start): TokenPattern => ({
      name: 'GITLAB_TOKEN',
      source: `${start}[A-Za-z0-9_-]{20,}`,
      joiners: '.',
    }),
  ),
  { name: 'GOOGLE_KEY', source: 'AIza[A-Za-z0-9_-]{35,}' },
  { name: 'GOOGLE_KEY', source: 'GOCSPX-[A-Za-z0-9_-]{20,}' },
  { name: 'GOOGLE_TOKEN', source: 'ya29\\.[A-Za-z0-9_-]{20,}', joiners: '.' },
  ...['sk_live_', 'rk_live_', 'sk_test_', 'rk_test_'].map(
    (start): TokenPattern => ({ name: 'STRIPE_KEY', source: `${start}[A-Za-z0-9]{16,}` }),
  ),
  { name: 'WEBHOOK_SECRET', source: 'whsec_[A-Za-z0-9+/=]{16,}' },
  { name: 'NPM_TOKEN', source: 'npm_[A-Za-z0-9]{30,}', anywhere: true },
  // All PyPI tokens are macaroons, which begin with this.
  { name: 'PYPI_TOKEN', source: 'pypi-Ag[A-Za-z0-9_-]{20,}', anywhere: true },
  { name: 'HUGGING_FACE_TOKEN', source: 'hf_[A-Za-z0-9]{20,}' },
  { name: 'SENDGRID_KEY', source: 'SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}' },
  ...['dop', 'doo', 'dor'].map(
    (kind): TokenPattern => ({
      name: 'DIGITALOCEAN_TOKEN',
      source: `${kind}_v1_[a-f0-9]{32,}`,
      anywhere: true,
    }),
  ),
  { name: 'BATON_TOKEN', source: 'baton_[a-z]{2,12}_[A-Za-z0-9_-]{20,}', anywhere: true },
  { name: 'JWT', source: 'eyJ[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}', joiners: '.' },
];

export const tokenNames: readonly string[] = TOKENS.map(({ name }) => name);

export const tokenRules: readonly Rule[] = TOKENS.map(tokenRule);

/** The verdict of the first token rule that matches here. */
export const tokenAt = (view: View): Verdict => firstVerdict(tokenRules, view);
