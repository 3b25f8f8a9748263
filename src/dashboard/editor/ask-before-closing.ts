import { useEffect } from 'preact/hooks';

const ask = (event: BeforeUnloadEvent): void => event.preventDefault();

/** Lets the browser ask before the window is closed with changes that are not published. */
export function useAskBeforeClosing(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return;
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isChanged]);
}
