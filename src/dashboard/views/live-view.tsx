import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { encode } from 'uqr';
import type { Schemas } from '../../client/client.ts';
import { answer, api } from '../api.ts';
import { pageLinks } from '../page-links.ts';
import { me } from '../session.ts';
import { ActionButton } from '../ui/action-button.tsx';
import { ButtonLink } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { FormSnippet } from '../ui/form-snippet.tsx';
import { hasAddress, NoAddress } from '../ui/no-mail.tsx';
import { type Page, PageAddress, PageView } from '../ui/page-layout.tsx';
import { Section } from '../ui/section.tsx';

/** A QR code: dark modules on white, in any color scheme, as scanners expect. */
function QrCode({ text }: { text: string }): JSX.Element {
  const { size, data } = encode(text);
  const modules = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg class="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label="QR code of the address">
      <path d={modules.join('')} />
    </svg>
  );
}

/** A value that the field may have. */
function sampleOf({ type, options }: Schemas['FormField']): string {
  const [first] = options ?? [];
  if (first) return first.value;
  return type === 'email' ? (me.value?.email ?? '') : 'Test';
}

/** Fills in the first form of the page that is sent here, and sends it as a test. */
async function sendTest(id: string): Promise<void> {
  const { forms } = await answer(api.GET('/deploy/{id}/check', { params: { path: { id } } }));
  const fields = forms.find(({ submits_here: isHere }) => isHere)?.fields ?? [];
  const filledIn = fields.filter(({ name, type }) => !name.startsWith('_') && type !== 'file');
  const body = { fields: Object.fromEntries(filledIn.map((field) => [field.name, sampleOf(field)])) };
  await answer(api.POST('/submissions/{deployId}/test', { params: { path: { deployId: id } }, body }));
}

function Test({ id }: { id: string }): JSX.Element {
  const [isSent, setSent] = useState(false);
  return (
    <Section title="Try it" hint="A test is stored and delivered like a submission of a visitor." isSplit>
      <div class="buttons">
        <ActionButton icon="send" run={() => sendTest(id)} done="The test has arrived." onDone={() => setSent(true)}>
          Send a test
        </ActionButton>
        {isSent && <a href={pageLinks(id).inbox}>See it in the inbox</a>}
      </div>
    </Section>
  );
}

function Mail({ page: { id, email_notifications } }: { page: Page }): JSX.Element {
  const [isOn, setOn] = useState(email_notifications);
  return (
    <Section title="Get mail about submissions" isSplit>
      <NoAddress />
      {hasAddress() && isOn && (
        <p>
          Each submission is mailed to <bdi>{me.value?.email}</bdi>.{' '}
          <a href={pageLinks(id).notifications}>Other recipients, or less often</a>
        </p>
      )}
      {hasAddress() && !isOn && (
        <ActionButton
          icon="mail"
          run={() =>
            answer(api.PATCH('/deploy/{id}', { params: { path: { id } }, body: { email_notifications: true } }))
          }
          done="Mail is on."
          onDone={() => setOn(true)}
          isRepeatable
          isRemoving
        >
          Turn on mail
        </ActionButton>
      )}
    </Section>
  );
}

const Address = ({ page: { id, url } }: { page: Page }): JSX.Element => (
  <Section title="You’re live" hint={<PageAddress url={url} />} isSplit>
    <QrCode text={url} />
    <div class="buttons">
      <CopyButton kind="plain" text={url}>
        Copy link
      </CopyButton>
      <ButtonLink icon="edit" href={pageLinks(id).edit}>
        Edit
      </ButtonLink>
    </div>
  </Section>
);

const PasteForm = ({ id }: { id: string }): JSX.Element => (
  <Section title="Paste this into your page">
    <FormSnippet id={id} />
    <p class="muted">
      Forms of any site may send. <a href={pageLinks(id).settings}>Settings</a> can allow some only.
    </p>
  </Section>
);

/** A page that was just published: its address, and the next steps. `?form=elsewhere`: the form is on another site. */
export default function Live(): JSX.Element {
  const isElsewhere = useLocation().query.form === 'elsewhere';
  return (
    <PageView title={isElsewhere ? 'Your form' : 'You’re live'}>
      {(page) => (
        <>
          {isElsewhere ? <PasteForm id={page.id} /> : <Address page={page} />}
          <Test id={page.id} />
          {me.value?.mail && <Mail page={page} />}
        </>
      )}
    </PageView>
  );
}
