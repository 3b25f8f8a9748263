import type { JSX } from 'preact';
import { t } from '../texts/chosen-texts.ts';
import { Icon } from './icon.tsx';

/** The address of a page, which opens it. */
export const PageAddress = ({ url }: { url: string }): JSX.Element => (
  <a class="subtle outside" href={url} target="_blank" rel="noopener">
    <bdi>
      {url.replace(/^https?:\/\//, '')} <Icon name="open" />
    </bdi>
    <span class="unseen">{t.bar.onePage.opensInNewTab}</span>
  </a>
);
