import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useChange } from '../data.ts';
import { askForLink, hasMail, signIn } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { View } from '../ui/view.tsx';

function KeyForm(): JSX.Element {
  const [key, setKey] = useState('');
  const { change, run } = useChange();
  const [isMissing, setMissing] = useState(false);
  const problem = change.state === 'failed' ? change.message : undefined;
  return (
    <Form
      onSubmit={() => {
        setMissing(key.trim() === '');
        if (key.trim() !== '') void run(() => signIn(key.trim()));
      }}
    >
      <Field
        label="API key"
        type="password"
        name="key"
        autoComplete="current-password"
        value={key}
        onChange={setKey}
        error={isMissing && key.trim() === '' ? 'Enter your key: it begins with fh_.' : problem}
      />
      <Button kind="main" isBusy={change.state === 'saving'}>
        Sign in
      </Button>
    </Form>
  );
}

function LinkForm(): JSX.Element {
  const [email, setEmail] = useState('');
  const [isMissing, setMissing] = useState(false);
  const { change, run } = useChange();
  return (
    <Form
      onSubmit={() => {
        setMissing(!email.includes('@'));
        if (email.includes('@')) void run(() => askForLink(email.trim()));
      }}
    >
      <Field
        label="E-mail address"
        type="email"
        name="email"
        autoComplete="email"
        value={email}
        onChange={setEmail}
        error={
          isMissing && !email.includes('@')
            ? 'Enter your address, such as you@example.com.'
            : change.state === 'failed'
              ? change.message
              : undefined
        }
      />
      <Button icon="mail" isBusy={change.state === 'saving'}>
        Send me a link
      </Button>
      <p role="status" class="hint">
        {change.state === 'saved' &&
          'If this address has an account here, a mail is on its way. Its link works once, for 15 minutes.'}
      </p>
    </Form>
  );
}

/** Signs in with a key, or asks for a link by mail where there is mail. */
export const SignInForm = (): JSX.Element => (
  <>
    <KeyForm />
    {hasMail && (
      <>
        <p class="or">
          <span>or</span>
        </p>
        <LinkForm />
      </>
    )}
  </>
);

const CREATE_KEY = 'npm run --silent keys -- create --email you@example.com';

/** What everybody sees who is not signed in, at any address: afterwards the view of that address follows. */
export const SignIn = (): JSX.Element => (
  <main class="sign-in">
    <p class="brand">
      <Icon name="brand" />
      formhost
    </p>
    <div class="card">
      <View title="Sign in">
        <SignInForm />
      </View>
    </div>
    <details class="card quiet-card">
      <summary>You have no key yet?</summary>
      <p>Whoever runs this service creates one with this command, which prints the key once:</p>
      <pre>
        <code>{CREATE_KEY}</code>
      </pre>
      <p class="hint">The very first start of a service prints a key, too.</p>
    </details>
  </main>
);
