import type { JSX } from 'preact';
import { Icon } from '../ui/icon.tsx';
import '../ui/thumbnail.css';
import './starting-points.css';

/** The addresses of the files: each is loaded when it is shown. */
const FILES = import.meta.glob<string>('../../../examples/pages/*.html', {
  query: '?url',
  import: 'default',
  eager: true,
});

const fileOf = (name: string, language: string): string | undefined =>
  FILES[`../../../examples/pages/${name}.${language}.html`];

/** The first language of the browser that the pages are in. */
const language = navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => fileOf('contact', tag)) ?? 'en';

/** The ways to a new page that need no HTML of one's own: finished pages, in a language of the browser, and one without a file. */
const STARTING_POINTS = [
  { name: 'contact', title: 'Contact', text: 'Visitors write to you.' },
  { name: 'registration', title: 'Registration', text: 'Visitors register for an event.' },
  { name: 'newsletter', title: 'Newsletter', text: 'Visitors subscribe to your mails.' },
  { name: 'elsewhere', title: 'My form is on another site', text: 'You get a form to paste there.' },
].map((point) => ({ ...point, url: fileOf(point.name, language) }));

export const findStartingPoint = (name: string | undefined) => STARTING_POINTS.find((point) => point.name === name);

export const StartingPoints = (): JSX.Element => (
  <ul class="starting-points">
    {STARTING_POINTS.map(({ name, title, text, url }) => (
      <li key={name} class="card starting-point">
        <div class="thumbnail" inert>
          {url ? <iframe title={title} src={url} sandbox="allow-scripts" tabIndex={-1} /> : <Icon name="open" />}
        </div>
        <div>
          <h3>
            <a href={`/dashboard/new?start=${name}`}>{title}</a>
          </h3>
          <p class="muted">{text}</p>
        </div>
      </li>
    ))}
  </ul>
);
