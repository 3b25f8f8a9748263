import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { t } from '../texts/chosen-texts.ts';

/* The theme is kept in the browser. theme.js sets it before the first paint. */

const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];
const LABELS: Readonly<Record<Theme, string>> = t.bar.theme.choices;

const KEY = 'theme';
const { dataset } = document.documentElement;

const toTheme = (text: string | null | undefined): Theme => THEMES.find((theme) => theme === text) ?? 'system';

const chosen = signal(toTheme(dataset.theme));

function show(theme: Theme): void {
  chosen.value = theme;
  if (theme === 'system') delete dataset.theme;
  else dataset.theme = theme;
}

// Another tab has changed it.
addEventListener('storage', ({ key, newValue }) => {
  if (key === KEY || key === null) show(toTheme(newValue));
});

function choose(theme: Theme): void {
  show(theme);
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // It counts for this tab only.
  }
}

/** Whether the dashboard is light or dark: as the system, or as chosen here. */
export const ThemeSwitch = (): JSX.Element => (
  <fieldset class="theme-switch">
    <legend class="muted">{t.bar.theme.label}</legend>
    {THEMES.map((theme) => (
      <label key={theme} class="button toggle">
        <input
          type="radio"
          name="theme"
          class="unseen"
          checked={chosen.value === theme}
          onChange={() => choose(theme)}
        />
        {LABELS[theme]}
      </label>
    ))}
  </fieldset>
);
