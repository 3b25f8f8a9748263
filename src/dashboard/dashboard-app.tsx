import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { LocationProvider, Router } from 'preact-iso';
import { session, trouble } from './api.ts';
import { prefetchLikely, routes } from './routes.tsx';
import { another, findNewSession, leave, me, signOut } from './session.ts';
import { Button } from './ui/button.tsx';
import { Dialog } from './ui/dialog.tsx';
import { Icon } from './ui/icon.tsx';
import { Links } from './ui/links.tsx';
import { Said, say } from './ui/say.tsx';
import { Loading } from './ui/states.tsx';
import { opening, whenIdle } from './view-loading.tsx';
import { SignIn, SignInForm } from './views/sign-in-view.tsx';

const NAVIGATION = [
  { href: '/dashboard', label: 'Pages', within: '/dashboard/pages/' },
  { href: '/dashboard/inbox', label: 'Inbox' },
  { href: '/dashboard/statistics', label: 'Statistics' },
  { href: '/dashboard/trash', label: 'Trash' },
  { href: '/dashboard/account', label: 'Account' },
  { href: '/dashboard/help', label: 'Help' },
];

const TROUBLES = {
  offline: 'There is no connection to the service. It is tried again by itself; nothing that you typed is lost.',
  slow: 'The service has not answered yet. It is waited for; nothing that you typed is lost.',
  unavailable: 'The service is busy or starting. It is tried again by itself; nothing that you typed is lost.',
};

/** Says that requests are being tried again. */
const Trouble = (): JSX.Element => (
  <div role="status">
    {trouble.value === 'none' ? undefined : (
      <p class="trouble">
        <Icon name="warning" />
        <span>{TROUBLES[trouble.value]}</span>
      </p>
    )}
  </div>
);

/** The view stays behind it, with all that was typed. */
function SessionOver(): JSX.Element {
  useEffect(() => {
    addEventListener('focus', findNewSession);
    return () => removeEventListener('focus', findNewSession);
  }, []);
  return (
    <Dialog title="Your session has ended">
      {another.value === undefined ? (
        <p>Sign in again to go on where you were. Nothing that you typed is lost.</p>
      ) : (
        <>
          <p>
            <bdi>{another.value}</bdi> has signed in in another tab. Sign in as <bdi>{me.value?.email}</bdi> to go on
            where you were, or leave what is here.
          </p>
          <div class="buttons">
            <Button onClick={leave}>
              Go on as <bdi>{another.value}</bdi>
            </Button>
          </div>
        </>
      )}
      <SignInForm />
    </Dialog>
  );
}

const start = (): void => {
  if (opening.value === 'none') opening.value = 'next';
};

const end = (): void => {
  if (opening.value === 'first') whenIdle(prefetchLikely);
  opening.value = 'none';
};

/** The view of the address, once its script is there. */
function Views(): JSX.Element {
  const { value: state } = opening;
  return (
    <main id="main" tabIndex={-1} aria-busy={state === 'none' ? undefined : true}>
      {state === 'first' && <Loading label="Loading the dashboard" />}
      <Router onLoadStart={start} onLoadEnd={end}>
        {routes}
      </Router>
    </main>
  );
}

export function App(): JSX.Element {
  if (session.value === 'unknown') {
    return (
      <>
        <Trouble />
        <main>
          <h1 class="unseen">formhost</h1>
          <Loading label="Loading the dashboard" />
        </main>
      </>
    );
  }
  if (session.value === 'none') return <SignIn />;
  return (
    <LocationProvider scope="/dashboard">
      <a class="button main skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <div class="top-inner">
          <a class="brand" href="/dashboard">
            <Icon name="brand" />
            formhost
          </a>
          <Links label="Dashboard" links={NAVIGATION} />
          <p class="who">
            <bdi class="email">{me.value?.email}</bdi>
            <Button
              kind="quiet"
              onClick={() => signOut('this').catch((error) => say(`You are still signed in: ${error.message}`))}
            >
              Sign out
            </Button>
          </p>
        </div>
      </header>
      <Trouble />
      <Views />
      <Said />
      {session.value === 'over' && <SessionOver />}
    </LocationProvider>
  );
}
