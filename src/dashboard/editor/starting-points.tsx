import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { FINISHED_PAGES, isPageName, type PageName } from '../../finished-pages/finished-pages.ts';
import { LANGUAGES } from '../../lib/languages.ts';
import { useData } from '../data.ts';
import { Select } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import { LivePreview } from './live-preview.tsx';
import { browserLanguage, readFinishedPages } from './read-finished-pages.ts';
import '../ui/thumbnail.css';
import './starting-points.css';

/** The language of the pages, which the owner can change. */
const language = signal(browserLanguage());

/** Each language by its own name. */
const CHOICES = LANGUAGES.map((value) => ({
  value,
  label: new Intl.DisplayNames([value], { type: 'language' }).of(value) ?? value,
})).toSorted((one, other) => one.label.localeCompare(other.label));

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
          label="Language of the pages"
          value={language.value}
          options={CHOICES}
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
            title={FINISHED_PAGES[name].title}
            text={FINISHED_PAGES[name].text}
          >
            {makePage && <LivePreview html={makePage(name)} title={FINISHED_PAGES[name].title} isSmall />}
          </Card>
        ))}
        <Card
          href="/dashboard/new?start=elsewhere"
          title="My form is on another site"
          text="You get a form to paste there."
        >
          <Icon name="open" />
        </Card>
      </ul>
    </>
  );
}
