import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';

/** `within`: how the addresses begin that belong to the link besides its own. */
export type ViewLink = { href: string; label: string; within?: string };

/** Links to views in a row, which wraps where they do not fit; the one that is shown is marked. */
export function Links({ label, links }: { label: string; links: readonly ViewLink[] }): JSX.Element {
  const { path } = useLocation();
  return (
    <nav class="links" aria-label={label}>
      {links.map(({ href, label: text, within = `${href}/` }) => (
        <a key={href} href={href} aria-current={path === href || path.startsWith(within) ? 'page' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}
