import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { LocationProvider, Router } from 'preact-iso';
import { session, trouble } from './api.ts';
import { DASHBOARD_LIMITS } from './dashboard-limits.ts';
import { useOtherTabs } from './other-tabs.ts';
import { refreshUnread } from './own-pages.ts';
import { prefetchLikely, routes } from './routes.tsx';
import { another, findNewSession, leave, me } from './session.ts';
import { t } from './texts/chosen-texts.ts';
import { Rich } from './texts/rich.tsx';
import { TopBar } from './top-bar.tsx';
import { Button } from './ui/button.tsx';
import { Dialog } from './ui/dialog.tsx';
import { Icon } from './ui/icon.tsx';
import { Said } from './ui/say.tsx';
import { Loading } from './ui/states.tsx';
import { opening, whenIdle } from './view-loading.tsx';
import { SignIn, SignInForm } from './views/sign-in-view.tsx';

/** Says that requests are being tried again. */
const Trouble = (): JSX.Element => (
  <div role="status">
    {trouble.value === 'none' ? undefined : (
      <p class="trouble">
        <Icon name="warning" />
        <span>{t.bar.troubles[trouble.value]}</span>
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
    <Dialog title={t.bar.session.ended}>
      {another.value === undefined ? (
        <p>{t.bar.session.signInAgain}</p>
      ) : (
        <>
          <p>
            <Rich text={t.bar.session.otherSignedIn} with={{ other: another.value, email: me.value?.email }} />
          </p>
          <div class="buttons">
            <Button onClick={leave}>
              <Rich text={t.bar.session.goOnAs} with={{ other: another.value }} />
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

// The same function each time: with another one the router would drop the view that it keeps while the next one loads.
const recount = (): void => void refreshUnread(DASHBOARD_LIMITS.unread.pauseMs);

/** Keeps the number of unread submissions in the bar near to the truth, also while nobody navigates. */
function useUnreadCount(): void {
  useEffect(() => {
    const { refreshMs, pauseMs } = DASHBOARD_LIMITS.unread;
    const refresh = () => refreshUnread(pauseMs);
    // The first view reads its own data first, which may have the counts.
    whenIdle(refresh);
    const timer = setInterval(refresh, refreshMs);
    addEventListener('focus', refresh);
    return () => {
      clearInterval(timer);
      removeEventListener('focus', refresh);
    };
  }, []);
}

/** The view of the address, once its script is there. */
function Views(): JSX.Element {
  const { value: state } = opening;
  useUnreadCount();
  useOtherTabs(() => refreshUnread(0));
  return (
    <main id="main" tabIndex={-1} aria-busy={state === 'none' ? undefined : true}>
      {state === 'first' && <Loading label={t.bar.loadingDashboard} />}
      <Router onLoadStart={start} onLoadEnd={end} onRouteChange={recount}>
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
          <Loading label={t.bar.loadingDashboard} />
        </main>
      </>
    );
  }
  if (session.value === 'none') return <SignIn />;
  return (
    <LocationProvider scope="/dashboard">
      <a class="button main skip" href="#main">
        {t.bar.nav.skip}
      </a>
      <TopBar />
      <Trouble />
      <Views />
      <Said />
      {session.value === 'over' && <SessionOver />}
    </LocationProvider>
  );
}
