import type { JSX } from 'preact';
import { Icon } from '../ui/icon.tsx';

/* Each file is loaded by its own address, when it is shown. The bundler wants each address written out. */

const FILES = {
  contact: {
    en: new URL('../../../examples/pages/contact.en.html', import.meta.url),
    de: new URL('../../../examples/pages/contact.de.html', import.meta.url),
    fr: new URL('../../../examples/pages/contact.fr.html', import.meta.url),
    es: new URL('../../../examples/pages/contact.es.html', import.meta.url),
  },
  registration: {
    en: new URL('../../../examples/pages/registration.en.html', import.meta.url),
    de: new URL('../../../examples/pages/registration.de.html', import.meta.url),
    fr: new URL('../../../examples/pages/registration.fr.html', import.meta.url),
    es: new URL('../../../examples/pages/registration.es.html', import.meta.url),
  },
  newsletter: {
    en: new URL('../../../examples/pages/newsletter.en.html', import.meta.url),
    de: new URL('../../../examples/pages/newsletter.de.html', import.meta.url),
    fr: new URL('../../../examples/pages/newsletter.fr.html', import.meta.url),
    es: new URL('../../../examples/pages/newsletter.es.html', import.meta.url),
  },
};

const TEXTS = [
  { name: 'contact', title: 'Contact', text: 'Visitors write to you.' },
  { name: 'registration', title: 'Registration', text: 'Visitors register for an event.' },
  { name: 'newsletter', title: 'Newsletter', text: 'Visitors subscribe to your mails.' },
] as const;

const isLanguage = (tag: string): tag is keyof typeof FILES.contact => Object.hasOwn(FILES.contact, tag);

/** The first language of the browser that the pages are in. */
const language = navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? 'en';

/** Finished pages to start from, in a language of the browser. */
const STARTING_POINTS = TEXTS.map((text) => ({ ...text, url: FILES[text.name][language].href }));

export const findStartingPoint = (name: string | undefined) => STARTING_POINTS.find((point) => point.name === name);

const WAYS = [
  ...STARTING_POINTS,
  { name: 'elsewhere', title: 'My form is on another site', text: 'You get a form to paste there.', url: undefined },
];

/** The ways to a new page that need no HTML of one's own. */
export const StartingPoints = (): JSX.Element => (
  <ul class="starting-points">
    {WAYS.map(({ name, title, text, url }) => (
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
