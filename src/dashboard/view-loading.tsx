import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { lazy } from 'preact-iso';
import { api } from './api.ts';
import { t } from './texts/chosen-texts.ts';
import { Button } from './ui/button.tsx';
import { Notice } from './ui/notice.tsx';
import { View } from './ui/view.tsx';

/*
 * Each view is a script of its own, which is loaded when the view is opened, or a little before. After an upgrade of the service,
 * the names that this tab knows are gone: it loads the page anew.
 */

type LoadedView = { default(): JSX.Element };

/** Loads the script of a view. The browser keeps it: a second call is answered at once. */
export type LoadView = () => Promise<LoadedView>;

/** 'first': no view is shown yet. 'next': the view before stays until the script of the next one is there. */
export const opening = signal<'first' | 'next' | 'none'>('first');

const RELOADED = 'reloaded-for-view';

function NotLoaded(): JSX.Element {
  return (
    <View title={t.bar.notLoaded.title}>
      <div role="alert">
        <Notice isProblem>
          <p>{t.bar.notLoaded.text}</p>
          <Button onClick={() => location.reload()}>{t.shared.tryAgain}</Button>
        </Notice>
      </div>
    </View>
  );
}

/** Tries again once the service answers. A script that is missing then is of another version of the dashboard. */
async function loadAgain(load: LoadView): Promise<LoadedView> {
  // Any request that reads is tried until it is answered, and the view says so meanwhile.
  await api.GET('/me');
  try {
    return await load();
  } catch {
    if (sessionStorage.getItem(RELOADED) !== null) return { default: NotLoaded };
    sessionStorage.setItem(RELOADED, 'yes');
    location.reload();
    return new Promise(() => undefined);
  }
}

async function loadView(load: LoadView): Promise<LoadedView> {
  const view = await load().catch(() => loadAgain(load));
  if (view.default !== NotLoaded) sessionStorage.removeItem(RELOADED);
  return view;
}

/** Returns a view that is loaded when it is shown. */
export const lazyView = (load: LoadView) => lazy(() => loadView(load));

/** Loads a view ahead. A failure is met when the view is opened. */
export const prefetch = (load: LoadView): void => void load().catch(() => undefined);

/** Runs when the browser has nothing else to do; Safari does not say when that is. */
export function whenIdle(run: () => void): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(run);
  else setTimeout(run, 1_000);
}
