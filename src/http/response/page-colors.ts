import { colord, extend } from 'colord';
import a11y from 'colord/plugins/a11y';
import type { PageLook } from '../../sites/page-look.ts';

extend([a11y]);

/*
 * The colour of a page on the small pages of the service. A colour is `#rrggbb`, as `lookOf` has read it.
 */

/** The colours of small-page.ts behind and in its text. */
const SCREENS = { light: { card: '#ffffff', text: '#1b1f24' }, dark: { card: '#1c1f24', text: '#eceef2' } } as const;

/** The least contrasts of WCAG 2.2: of a text (1.4.3), and of a control (1.4.11). */
const TEXT_CONTRAST = 4.5;
const CONTROL_CONTRAST = 3;

/** The variables of a colour on a screen: each text can be read, and each control is seen, whatever the colour is. */
function variablesOf(color: string, screen: keyof typeof SCREENS): string {
  const { card, text } = SCREENS[screen];
  const accent = colord(color);
  const onAccent = accent.contrast('#000000') > accent.contrast('#ffffff') ? '#000' : '#fff';
  const link = accent.contrast(card) >= TEXT_CONTRAST ? color : text;
  const edge = accent.contrast(card) >= CONTROL_CONTRAST ? 'transparent' : text;
  return `:root{--accent:${color};--on-accent:${onAccent};--link:${link};--edge:${edge}}main{border-top:.375rem solid ${color}}`;
}

/** The style that gives a small page the colour of its page; empty where that names none. */
export function colorStyle({ color, darkColor }: PageLook): string {
  const light = color === null ? '' : `@media(prefers-color-scheme:light){${variablesOf(color, 'light')}}`;
  return light + (darkColor === null ? '' : `@media(prefers-color-scheme:dark){${variablesOf(darkColor, 'dark')}}`);
}

/** The tags by which browsers show the colour around a small page. */
export function colorTags({ color, darkColor }: PageLook): string {
  const tag = (value: string | null, scheme: string): string =>
    value === null ? '' : `<meta name="theme-color" content="${value}" media="(prefers-color-scheme: ${scheme})">\n`;
  return tag(color, 'light') + tag(darkColor, 'dark');
}
