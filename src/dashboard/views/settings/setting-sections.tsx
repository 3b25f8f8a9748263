import type { JSX } from 'preact';
import { answer, api } from '../../api.ts';
import { may } from '../../permissions.ts';
import { roleOnPage } from '../../session.ts';
import { FIELD_OF, type FormField } from '../../setting-fields.ts';
import type { EditedSettings } from '../../settings/edited-settings.ts';
import { type ChosenFields, useFormFields } from '../../settings/fields-of-form.ts';
import { mayChangeSetting, SettingControl } from '../../settings/setting-control.tsx';
import { changedNames } from '../../settings/typed.ts';
import { counted, fill, t } from '../../texts/chosen-texts.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { NoMail } from '../../ui/no-mail.tsx';
import type { Page } from '../../ui/page-layout.tsx';
import { Panel } from '../../ui/panel.tsx';
import { CaptchaSnippet } from './captcha-snippet.tsx';
import { openingAt, STATES } from './section-states.ts';
import type { Screen } from './visitor-preview.tsx';

const { mailPreview, rush, sections } = t.settings;

/** The sections in their order, and the screen of visitors that each is about. */
const SECTIONS = [
  { name: 'thanks', title: sections.thanks, screen: 'thanks' },
  { name: 'mail', title: sections.mail, screen: 'mail' },
  { name: 'opening', title: sections.opening, screen: 'closed' },
  { name: 'places', title: sections.places, screen: 'full' },
  { name: 'senders', title: sections.senders, screen: undefined },
  { name: 'spam', title: sections.spam, screen: undefined },
  { name: 'deletion', title: sections.deletion, screen: undefined },
] as const satisfies readonly { name: FormField['section']; title: string; screen: Screen | undefined }[];

const namesIn = (section: string): string[] =>
  [...FIELD_OF].flatMap(([name, field]) => (field.section === section ? [name] : []));

/** Sends the mail that visitors get to the owner. */
const MailPreview = ({ id, isChanged }: { id: string; isChanged: boolean }): JSX.Element => (
  <div class="stack">
    <NoMail />
    {isChanged ? (
      <p class="hint">{mailPreview.saveFirst}</p>
    ) : (
      <div>
        <ActionButton
          needs="POST /deploy/{id}/confirmation/preview"
          icon="mail"
          run={() => answer(api.POST('/deploy/{id}/confirmation/preview', { params: { path: { id } } }))}
          done={mailPreview.sent}
        >
          {mailPreview.send}
        </ActionButton>
      </div>
    )}
  </div>
);

/** As many submissions a minute are offered to a form for which many people wait. */
const RUSH = 60;
const FIRST_RATE = 10;

/** Offers a higher limit a minute, where more people may come at once than it lets in. */
function RateOffer({ edited: { typed, type } }: { edited: EditedSettings }): JSX.Element | null {
  const { max_submissions: places = '', submissions_per_minute: rate = '' } = typed;
  const perMinute = rate === '' ? FIRST_RATE : Number(rate);
  if (!(Number(places) > perMinute && perMinute < RUSH)) return null;
  return (
    <div class="stack">
      <p class="hint">{counted(rush.about, perMinute)}</p>
      <Button onClick={() => type('submissions_per_minute', String(RUSH))}>{fill(rush.let, { rate: RUSH })}</Button>
    </div>
  );
}

function SectionContent({
  section,
  page: { id },
  edited,
  fields,
}: {
  section: FormField['section'];
  page: Page;
  edited: EditedSettings;
  fields: ChosenFields;
}): JSX.Element {
  const { typed } = edited;
  const provider = typed['spam.captcha.provider'] ?? '';
  const options = section === 'places' ? fields.numbers : fields.addresses;
  return (
    <>
      {section === 'mail' && fields.hasNoAddress && <p class="hint">{t.settings.noAddressField}</p>}
      {namesIn(section).map((name) => (
        <SettingControl key={name} name={name} edited={edited} {...(options && { options })} />
      ))}
      {section === 'places' && may('PATCH /deploy/{id}') && <RateOffer edited={edited} />}
      {section === 'mail' && typed['confirmation.field'] !== '' && may('POST /deploy/{id}/confirmation/preview') && (
        <MailPreview id={id} isChanged={edited.count > 0} />
      )}
      {section === 'spam' && provider !== '' && (
        <CaptchaSnippet provider={provider} siteKey={typed['spam.captcha.site_key'] ?? ''} id={id} />
      )}
    </>
  );
}

/** The sections of the settings: each has its state in a line, and is opened to be edited. */
export function Sections({
  page,
  edited,
  opened,
  onEdit,
}: {
  page: Page;
  edited: EditedSettings;
  opened: { isOpen(name: string): boolean; toggle(name: string): void };
  /** Called with the screen of visitors that a section is about, when it is opened or edited. */
  onEdit(screen: Screen): void;
}): JSX.Element {
  const { read, typed, errors, theirs } = edited;
  const chosen = read['confirmation.field'] ?? '';
  const fields = useFormFields(page.id, { address: chosen, number: read.places_field ?? '' });
  const fieldLabel = fields.addresses?.find(({ value }) => value === chosen)?.label ?? chosen;
  const changed = new Set(changedNames(typed, read));
  const stateOf = (name: keyof typeof STATES): string => {
    if (name === 'mail') return STATES.mail(read, fieldLabel);
    return name === 'places' ? STATES.places(read, page.places?.taken ?? page.submission_count) : STATES[name](read);
  };
  return (
    <>
      {SECTIONS.map(({ name, title, screen }) => {
        const names = namesIn(name);
        // What is wrong is shown, also where the section was closed.
        const isWrong = names.some((one) => errors[one] !== undefined || theirs[one] !== undefined);
        const show = (): void => {
          const isBefore = screen === 'closed' && openingAt(typed, new Date()) === 'not-open';
          if (screen) onEdit(isBefore ? 'not-open' : screen);
        };
        return (
          <div key={name} onFocusIn={show}>
            <Panel
              id={name}
              title={title}
              state={stateOf(name)}
              isChanged={names.some((one) => changed.has(one))}
              isOpen={isWrong || opened.isOpen(name)}
              onToggle={() => opened.toggle(name)}
            >
              {roleOnPage.value !== undefined && !names.every(mayChangeSetting) && (
                <p class="hint">{t.settings.onlyOwner}</p>
              )}
              <SectionContent section={name} page={page} edited={edited} fields={fields} />
            </Panel>
          </div>
        );
      })}
    </>
  );
}
