import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { FINISHED_PAGES, isPageName, type PageName } from '../../finished-pages/finished-pages.ts';
import { useData } from '../data.ts';
import { LANGUAGE_OPTIONS } from '../language-names.ts';
import { language as ownLanguage, t } from '../texts/chosen-texts.ts';
import { Select } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import { LivePreview } from './live-preview.tsx';
import { readFinishedPages } from './read-finished-pages.ts';
import '../ui/thumbnail.css';
import './starting-points.css';

/** What each page is called, and what it is for. */
const PAGES: Readonly<Record<PageName, { title: string; text: string }>> = t.editor.start.pages;

/** The language of the pages, which the owner can change: at first that of the dashboard. */
const language = signal(ownLanguage);

type CardProps = { href: string; title: string; text: string; children: JSX.Element | undefined };

const Card = ({ href, title, text, children }: CardProps): JSX.Element => (
  <li class="card starting-point">
    <div class="thumbnail" inert>
      {children}
    </div>
    <div>
      <h3>
        <a href={href}>{title}</a>
      </h3>
      <p class="muted">{text}</p>
    </div>
  </li>
);

/** The ways to a new page that need no HTML of one's own: finished pages, and a form for another site. */
export function StartingPoints(): JSX.Element {
  const { data: makePage } = useData(`finished-pages:${language.value}`, () => readFinishedPages(language.value));
  const names: readonly PageName[] = Object.keys(FINISHED_PAGES).filter(isPageName);
  return (
    <>
      <div class="starting-language">
        <Select
          label={t.editor.start.language}
          value={language.value}
          options={LANGUAGE_OPTIONS}
          onChange={(chosen) => {
            language.value = chosen;
          }}
        />
      </div>
      <ul class="starting-points">
        {names.map((name) => (
          <Card
            key={name}
            href={`/dashboard/new?start=${name}&language=${language.value}`}
            title={PAGES[name].title}
            text={PAGES[name].text}
          >
            {makePage && <LivePreview html={makePage(name)} title={PAGES[name].title} isSmall />}
          </Card>
        ))}
        <Card
          href="/dashboard/new?start=elsewhere"
          title={t.editor.elsewhere.title}
          text={t.editor.elsewhere.pasteThere}
        >
          <Icon name="open" />
        </Card>
      </ul>
    </>
  );
}
