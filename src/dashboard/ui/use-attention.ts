import { useEffect, useRef, useState } from 'preact/hooks';
import { DASHBOARD_LIMITS } from '../dashboard-limits.ts';

/**
 * Tells when a person has had the window before the eyes for a moment. Another site can lay a window over this one, ask for a double
 * click, and close it at the first: the second would press a button here. `check` also knows of events that are not yet shown.
 */
export function useAttention(isNeeded: boolean): { hasAttention: boolean; check(): boolean } {
  const [hasAttention, setAttention] = useState(!isNeeded);
  const latest = useRef(!isNeeded);
  useEffect(() => {
    if (!isNeeded) return;
    let timer: number | undefined;
    function set(value: boolean): void {
      latest.current = value;
      setAttention(value);
    }
    function lose(): void {
      clearTimeout(timer);
      set(false);
    }
    function begin(): void {
      lose();
      timer = window.setTimeout(() => set(true), DASHBOARD_LIMITS.signIn.attentionMs);
    }
    if (document.hasFocus()) begin();
    addEventListener('focus', begin);
    addEventListener('blur', lose);
    return () => {
      clearTimeout(timer);
      removeEventListener('focus', begin);
      removeEventListener('blur', lose);
    };
  }, [isNeeded]);
  return { hasAttention, check: () => latest.current };
}
