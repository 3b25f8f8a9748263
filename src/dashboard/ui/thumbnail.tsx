import type { JSX } from 'preact';
import { pageName } from '../../sites/page-name.ts';
import { fill, t } from '../texts/chosen-texts.ts';
import type { Page } from './page-layout.tsx';
import './thumbnail.css';

/** A small picture of a page as visitors see it. Nothing in it can be used. */
export const Thumbnail = ({ page }: { page: Page }): JSX.Element => (
  <div class="thumbnail" inert>
    <iframe
      title={fill(t.bar.onePage.picture, { page: pageName(page) })}
      src={page.url}
      sandbox="allow-scripts"
      tabIndex={-1}
      loading="lazy"
      referrerpolicy="no-referrer"
      scrolling="no"
    />
  </div>
);
