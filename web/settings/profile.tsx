import { useMutation } from '@tanstack/react-query';
import { LogOut } from 'lucide-react';
import type { Me } from '../../src/contract/access.ts';
import { signOut } from '../api/sign-out.ts';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { problemOf } from '../parts/problem.ts';
import { Fact, Section } from '../parts/section.tsx';
import { chooseTheme, type Theme, theme } from '../parts/theme.ts';
import { Ago } from '../parts/time.tsx';
import { useStore } from '../state/store.ts';
import { chooseLanguage, type Language, language } from '../texts/language.ts';
import { useTexts } from '../texts/texts.ts';

const THEMES = ['system', 'light', 'dark'] as const satisfies readonly Theme[];
/**
 * Each language's name is written in that language, for users who cannot read the other language.
 */
const LANGUAGES: readonly (readonly [Language, string])[] = [
  ['en', 'English'],
  ['ja', '日本語'],
];

export function Profile({ me: { user } }: { me: Me }) {
  const t = useTexts();
  const chosenTheme = useStore(theme);
  const chosenLanguage = useStore(language);
  const leave = useMutation({ mutationFn: signOut });
  return (
    <>
      <Section
        title={t.settings.you}
        actions={
          <Button disabled={leave.isPending || leave.isSuccess} onClick={() => leave.mutate()}>
            <LogOut size={16} aria-hidden />
            {t.shell.signOut}
          </Button>
        }
      >
        {leave.error !== null && (
          <div className="mb-3">
            <Notice tone="bad" title={problemOf(leave.error, t)} />
          </div>
        )}
        <dl className="grid grid-cols-2 gap-3 sm:grid-cols-3">
          <Fact name={t.settings.name}>{user.name}</Fact>
          <Fact name={t.settings.role}>{t.common.roles[user.role]}</Fact>
          <Fact name={t.settings.since}>
            <Ago at={user.createdAt} />
          </Fact>
        </dl>
        <p className="mt-3 text-dense text-soft">{t.settings.roleHelp[user.role]}</p>
      </Section>
      <Section title={t.settings.browser} about={t.settings.browserHelp}>
        <div className="grid gap-x-4 sm:grid-cols-2">
          <Field label={t.shell.theme}>
            {(props) => (
              <select
                {...props}
                value={chosenTheme}
                onChange={({ target }) =>
                  chooseTheme(THEMES.find((each) => each === target.value) ?? 'system')
                }
              >
                {THEMES.map((each) => (
                  <option key={each} value={each}>
                    {t.shell.themes[each]}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label={t.shell.language}>
            {(props) => (
              <select
                {...props}
                value={chosenLanguage}
                onChange={({ target }) => chooseLanguage(target.value === 'ja' ? 'ja' : 'en')}
              >
                {LANGUAGES.map(([code, name]) => (
                  <option key={code} value={code} lang={code}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </div>
      </Section>
      <p className="mt-4 text-dense">
        <a
          href="/assets/notices.txt"
          target="_blank"
          rel="noreferrer"
          className="inline-flex items-center text-soft underline underline-offset-3 max-md:min-h-11 max-md:min-w-11"
        >
          {t.settings.licences}
        </a>
      </p>
    </>
  );
}
