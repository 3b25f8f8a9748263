import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { isMailAddress } from '../../lib/mail-address.ts';
import { chooseLanguage, chosenLanguage } from '../chosen-language.ts';
import { askForLink, hasMail, hasOpenid, hasSignUp, signIn, signInWithOpenid } from '../session.ts';
import { t } from '../texts/chosen-texts.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { LanguageChoice } from '../ui/language-choice.tsx';
import { OneFieldForm } from '../ui/one-field-form.tsx';
import { View } from '../ui/view.tsx';

/** Asks for a link by mail where there is mail, which most people have at hand, or signs in with a key. */
export const SignInForm = (): JSX.Element => (
  <>
    {hasOpenid && (
      <>
        <Button kind="main" onClick={signInWithOpenid}>
          {t.signIn.withOpenid}
        </Button>
        <p class="or">{t.signIn.or}</p>
      </>
    )}
    {hasMail && (
      <>
        <OneFieldForm
          needs="nothing"
          field={{ label: t.signIn.email, type: 'email', name: 'email', autoComplete: 'email' }}
          isRight={isMailAddress}
          wrong={t.signIn.wrongEmail}
          button={{ kind: hasOpenid ? 'plain' : 'main', icon: 'mail', children: t.signIn.sendLink }}
          run={askForLink}
          done={hasSignUp ? t.signIn.linkSent : t.signIn.linkSentIfKnown}
        />
        <p class="or">{t.signIn.or}</p>
      </>
    )}
    <OneFieldForm
      needs="nothing"
      field={{ label: t.signIn.key, type: 'password', name: 'key', autoComplete: 'current-password' }}
      isRight={(key) => key !== ''}
      wrong={t.signIn.wrongKey}
      button={{ kind: hasMail || hasOpenid ? 'plain' : 'main', children: t.signIn.signIn }}
      run={signIn}
    />
  </>
);

const CREATE_KEY = 'npx formhost admin keys create --email you@example.com';

/** The view of every address for people who are not signed in: afterwards that of the address follows. */
export function SignIn(): JSX.Element {
  const main = useRef<HTMLElement>(null);
  useEffect(() => main.current?.querySelector('input')?.focus(), []);
  return (
    <main ref={main} class="sign-in">
      <p class="brand">
        <Icon name="brand" />
        formhost
      </p>
      <div class="card">
        <View title={t.signIn.title}>
          <SignInForm />
        </View>
      </div>
      <details>
        <summary>{t.signIn.noKey.title}</summary>
        <div class="stack">
          {hasSignUp && <p>{t.signIn.noKey.needNone}</p>}
          <p>{t.signIn.noKey.command}</p>
          <pre>
            <code>{CREATE_KEY}</code>
          </pre>
          <p class="hint">{t.signIn.noKey.firstStart}</p>
        </div>
      </details>
      <div class="sign-in-language">
        <LanguageChoice language={chosenLanguage()} onChange={chooseLanguage} />
      </div>
    </main>
  );
}
