import type { ComponentChildren, JSX } from 'preact';
import { fillIn } from '../../../forms/confirmation.ts';
import { fill } from '../../../texts/fill.ts';
import type { Typed } from '../../setting-fields.ts';
import { zoneOfOwner } from '../../settings/local-time.ts';
import { toHttpUrl } from '../../settings/typed-addresses.ts';
import { t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import { Toggle } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import type { Page } from '../../ui/page-layout.tsx';
import { timeIn } from './section-states.ts';
import { useVisitorTexts, type VisitorTexts } from './visitor-texts.ts';

const { preview } = t.settings;

/** The screens of visitors, in their order. */
const SCREENS = [
  { screen: 'thanks', label: preview.screens.thanks },
  { screen: 'mail', label: preview.screens.mail },
  { screen: 'not-open', label: preview.screens.notOpen },
  { screen: 'closed', label: preview.screens.closed },
  { screen: 'full', label: preview.screens.full },
] as const;
export type Screen = (typeof SCREENS)[number]['screen'];

type Shown = VisitorTexts & { page: Page; typed: Typed };

const nameOf = ({ title, slug }: Page): string => title ?? slug;

/** A text of the service, which is HTML without tags: it has references to characters at most. */
const plain = (html: string): string =>
  new DOMParser().parseFromString(html, 'text/html').documentElement.textContent ?? '';

/** A screen of the service, as it makes it. */
const SmallPage = ({
  sign,
  page,
  title,
  children,
}: {
  sign: 'done' | 'warning';
  page: Page;
  title: string;
  children: ComponentChildren;
}): JSX.Element => (
  <div class={`screen ${sign}`}>
    <p class="screen-page">
      <bdi>{nameOf(page)}</bdi>
    </p>
    <Icon name={sign} />
    <p class="screen-title">{title}</p>
    <p class="lines">{children}</p>
  </div>
);

function Thanks({ page, typed, texts }: Shown): JSX.Element {
  const url = URL.parse(toHttpUrl(typed.redirect_url ?? ''));
  if (url) {
    return (
      <p>
        <Rich text={preview.redirected} with={{ url: url.href }} />
      </p>
    );
  }
  return (
    <SmallPage sign="done" page={page} title={plain(texts.thanks.title)}>
      <bdi>{typed.thanks_message?.trim() || plain(texts.thanks.text)}</bdi>
    </SmallPage>
  );
}

function Mail({ page, typed }: Shown): JSX.Element {
  if (typed['confirmation.field'] === '') return <p>{preview.noMail}</p>;
  // As the service writes it, in each language.
  const date = new Date().toISOString().slice(0, 10);
  const values = { reference: 'sub_…', page: `${nameOf(page)} (${page.url})`, date };
  return (
    <div class="screen mail">
      <p class="screen-title">
        <bdi>{fillIn(typed['confirmation.subject'] ?? '', values)}</bdi>
      </p>
      <p class="lines">
        <bdi>{fillIn(typed['confirmation.text'] ?? '', values)}</bdi>
      </p>
    </div>
  );
}

function Closing({
  reason,
  page,
  typed,
  texts,
  language,
}: Shown & { reason: 'not-open' | 'closed' | 'full' }): JSX.Element {
  const { title, text } = texts.closings[reason];
  const message = reason === 'full' ? '' : (typed.closed_message ?? '').trim();
  const opens = timeIn(typed, 'opens_at');
  const zone = zoneOfOwner();
  const time = opens?.toLocaleString(language, { dateStyle: 'long', timeStyle: 'short', timeZone: zone }) ?? '…';
  const said = reason === 'not-open' || message === '' ? [plain(fill(text, { time, zone }))] : [];
  return (
    <SmallPage sign="warning" page={page} title={plain(title)}>
      {[...said, ...(message === '' ? [] : [message])].join('\n')}
    </SmallPage>
  );
}

function ScreenOf({ screen, ...shown }: Shown & { screen: Screen }): JSX.Element {
  if (screen === 'thanks') return <Thanks {...shown} />;
  return screen === 'mail' ? <Mail {...shown} /> : <Closing {...shown} reason={screen} />;
}

/** Shows what visitors see, with the texts as they are typed: after sending, by mail, and while the form takes nothing. */
export function VisitorPreview({
  page,
  typed,
  screen,
  onShow,
}: {
  page: Page;
  typed: Typed;
  screen: Screen;
  onShow(screen: Screen): void;
}): JSX.Element {
  const found = useVisitorTexts(page.id, typed.language ?? '');
  return (
    <section class="visitor-preview card" aria-labelledby="visitor-preview">
      <h2 id="visitor-preview">{preview.title}</h2>
      <div class="buttons">
        {SCREENS.map(({ screen: one, label }) => (
          <Toggle key={one} isOn={one === screen} onSwitch={() => onShow(one)}>
            {label}
          </Toggle>
        ))}
      </div>
      {found && (
        <div
          class="screen-frame"
          lang={found.language}
          dir={found.texts.dir === 'rtl' ? 'rtl' : 'ltr'}
          {...(found.color !== undefined && { style: { '--page-color': found.color } })}
        >
          <ScreenOf {...found} page={page} typed={typed} screen={screen} />
        </div>
      )}
    </section>
  );
}
