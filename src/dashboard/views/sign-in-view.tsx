import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { isMailAddress } from '../../lib/mail-address.ts';
import { askForLink, hasMail, hasOpenid, hasSignUp, signIn, signInWithOpenid } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { OneFieldForm } from '../ui/one-field-form.tsx';
import { View } from '../ui/view.tsx';

/** Asks for a link by mail where there is mail, which most people have at hand, or signs in with a key. */
export const SignInForm = (): JSX.Element => (
  <>
    {hasOpenid && (
      <>
        <Button kind="main" onClick={signInWithOpenid}>
          Sign in with OpenID Connect
        </Button>
        <p class="or">or</p>
      </>
    )}
    {hasMail && (
      <>
        <OneFieldForm
          needs="nothing"
          field={{ label: 'E-mail address', type: 'email', name: 'email', autoComplete: 'email' }}
          isRight={isMailAddress}
          wrong="Enter your address, such as you@example.com."
          button={{ kind: hasOpenid ? 'plain' : 'main', icon: 'mail', children: 'Send me a link' }}
          run={askForLink}
          done={`${hasSignUp ? 'A mail' : 'If this address has an account here, a mail'} is on its way. Its link works once, for 15 minutes.`}
        />
        <p class="or">or</p>
      </>
    )}
    <OneFieldForm
      needs="nothing"
      field={{ label: 'API key', type: 'password', name: 'key', autoComplete: 'current-password' }}
      isRight={(key) => key !== ''}
      wrong="Enter your key: it begins with fh_."
      button={{ kind: hasMail || hasOpenid ? 'plain' : 'main', children: 'Sign in' }}
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
        <View title="Sign in">
          <SignInForm />
        </View>
      </div>
      <details>
        <summary>You have no key yet?</summary>
        <div class="stack">
          {hasSignUp && <p>You need none: the link in the mail makes an account for your address.</p>}
          <p>The operator of this service creates one with this command, which prints the key once:</p>
          <pre>
            <code>{CREATE_KEY}</code>
          </pre>
          <p class="hint">The very first start of a service prints a key, too.</p>
        </div>
      </details>
    </main>
  );
}
