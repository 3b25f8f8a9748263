import type { ComponentChildren, JSX } from 'preact';
import type { Schemas } from '../../../client/client.ts';
import { answer, api } from '../../api.ts';
import { type Loaded, useData } from '../../data.ts';
import { ownFields } from '../../own-fields.ts';
import { pageLinks } from '../../page-links.ts';
import { may } from '../../permissions.ts';
import { me, roleOnPage } from '../../session.ts';
import { counted, t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import { ActionButton } from '../../ui/action-button.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { hasAddress, NoAddress } from '../../ui/no-mail.tsx';
import type { Page } from '../../ui/page-layout.tsx';
import { Section } from '../../ui/section.tsx';
import { Shown } from '../../ui/states.tsx';
import { unseen } from '../../ui/unseen.tsx';

type FormField = Schemas['FormField'];

/** What decides whether a step is done. */
type State = {
  settings: Schemas['Settings'];
  /** The submission or the test that has arrived. */
  arrived: 'nothing' | 'test' | 'submission';
  hasDomain: boolean;
  fields: readonly FormField[];
};

const READS_DOMAINS = 'GET /deploy/{id}/domains';

async function readState(id: string, fields: readonly FormField[], signal: AbortSignal): Promise<State> {
  const params = { path: { id } };
  const search = { path: { deployId: id }, query: { limit: 1 } };
  const [settings, { submissions }, { domains }] = await Promise.all([
    answer(api.GET('/deploy/{id}/settings', { params, signal })),
    answer(api.GET('/submissions/{deployId}/search', { params: search, signal })),
    may(READS_DOMAINS) ? answer(api.GET('/deploy/{id}/domains', { params, signal })) : { domains: [] },
  ]);
  const hasDomain = domains.some(({ status }) => status === 'live');
  const [newest] = submissions;
  const arrived = newest === undefined ? 'nothing' : newest.test ? 'test' : 'submission';
  return { settings, fields, arrived, hasDomain };
}

/** A value that the field may have. */
function sampleOf({ type, options }: FormField): string {
  const [first] = options ?? [];
  if (first) return first.value;
  if (type === 'number' || type === 'range') return '1';
  return type === 'email' ? (me.value?.email ?? '') : t.page.steps.test.value;
}

/** Fills in the form, and sends it as a test. */
async function sendTest(id: string, fields: readonly FormField[]): Promise<void> {
  const filledIn = fields.filter(({ name, type }) => !name.startsWith('_') && type !== 'file');
  const body = { fields: Object.fromEntries(filledIn.map((field) => [field.name, sampleOf(field)])) };
  await answer(api.POST('/submissions/{deployId}/test', { params: { path: { deployId: id } }, body }));
}

/** A step, with a tick once it is done. */
const Step = ({
  title,
  isDone,
  text,
  children,
}: {
  title: string;
  isDone: boolean;
  text: ComponentChildren;
  children: ComponentChildren;
}): JSX.Element => (
  <li class={isDone ? 'row step done' : 'row step'}>
    <Icon name={isDone ? 'done' : 'circle'} />
    <div class="row-text">
      <h3>
        <Rich text={isDone ? t.page.steps.done : t.page.steps.toDo} with={{ unseen, title: <>{title}</> }} />
      </h3>
      <div class="muted">{text}</div>
    </div>
    <div class="buttons">{children}</div>
  </li>
);

type StepProps = { id: string; state: State; reload(): void };

const ARRIVED: Readonly<Record<State['arrived'], string>> = t.page.steps.test.arrived;

const TestStep = ({ id, state: { arrived, fields }, reload }: StepProps): JSX.Element => (
  <Step title={t.page.steps.test.title} isDone={arrived !== 'nothing'} text={ARRIVED[arrived]}>
    {arrived !== 'nothing' && (
      <ButtonLink kind="quiet" href={pageLinks(id).inbox}>
        {t.page.steps.test.see}
      </ButtonLink>
    )}
    <ActionButton
      needs="POST /submissions/{deployId}/test"
      kind={arrived === 'nothing' ? 'plain' : 'quiet'}
      icon="send"
      run={() => sendTest(id, fields)}
      done={t.page.steps.test.done}
      onDone={reload}
    >
      {t.page.steps.test.send}
    </ActionButton>
  </Step>
);

function MailStep({ id, state: { settings }, reload }: StepProps): JSX.Element {
  const { email_notifications: isOn } = settings;
  const turnOn = () =>
    answer(api.PATCH('/deploy/{id}', { params: { path: { id } }, body: { email_notifications: true } }));
  const text = isOn ? <Rich text={t.page.steps.mail.on} with={{ email: me.value?.email }} /> : t.page.steps.mail.off;
  return (
    <Step title={t.page.steps.mail.title} isDone={isOn} text={hasAddress() ? text : <NoAddress />}>
      {isOn && (
        <ButtonLink kind="quiet" href={pageLinks(id).notifications}>
          {t.page.steps.mail.who}
        </ButtonLink>
      )}
      {!isOn && hasAddress() && (
        <ActionButton
          needs="PATCH /deploy/{id}"
          icon="mail"
          run={turnOn}
          done={t.page.steps.mail.done}
          onDone={reload}
          isRepeatable
          isRemoving
        >
          {t.page.steps.mail.turnOn}
        </ActionButton>
      )}
    </Step>
  );
}

/** Returns whether visitors say a number in it, such as that of the people who come. */
const isNumber = ({ type, options }: FormField): boolean =>
  type === 'number' || (type === 'select' && options !== null && options.every(({ value }) => /^\d/.test(value)));

/** For a form that people register with. */
function PlacesStep({ id, state: { settings, fields } }: StepProps): JSX.Element | null {
  const { max_submissions: places } = settings;
  if (places === null && !fields.some(isNumber)) return null;
  return (
    <Step
      title={t.page.steps.places.title}
      isDone={places !== null}
      text={places === null ? t.page.steps.places.explained : counted(t.page.steps.places.limited, places)}
    >
      <ButtonLink kind={places === null ? 'plain' : 'quiet'} href={`${pageLinks(id).settings}#places`}>
        <Rich text={places === null ? t.page.steps.places.set : t.page.steps.change} with={{ unseen }} />
      </ButtonLink>
    </Step>
  );
}

function ThanksStep({ id, state: { settings } }: StepProps): JSX.Element {
  const isDone = settings.thanks_message !== null || settings.redirect_url !== null;
  return (
    <Step
      title={t.page.steps.thanks.title}
      isDone={isDone}
      text={settings.thanks_message ?? t.page.steps.thanks.explained}
    >
      <ButtonLink kind={isDone ? 'quiet' : 'plain'} href={`${pageLinks(id).settings}#thanks`}>
        <Rich text={isDone ? t.page.steps.change : t.page.steps.thanks.write} with={{ unseen }} />
      </ButtonLink>
    </Step>
  );
}

const DomainStep = ({ id, state: { hasDomain } }: StepProps): JSX.Element => (
  <Step
    title={t.page.steps.domain.title}
    isDone={hasDomain}
    text={hasDomain ? t.page.steps.domain.done : t.page.steps.domain.explained}
  >
    <ButtonLink kind={hasDomain ? 'quiet' : 'plain'} href={`${pageLinks(id).settings}#address`}>
      <Rich text={hasDomain ? t.page.steps.domain.all : t.page.steps.domain.add} with={{ unseen }} />
    </ButtonLink>
  </Step>
);

/** What is left to do once a page is live, with a tick at each step that is done. `fields`: of its form. */
export function Steps({ page: { id }, checked }: { page: Page; checked: Loaded<Schemas['CheckedPage']> }): JSX.Element {
  const fields = checked.data ? ownFields(checked.data) : [];
  const loaded = useData(`steps:${id}:${fields.length}`, (signal) => readState(id, fields, signal));
  return (
    <Section title={t.page.steps.heading}>
      <Shown loaded={loaded} label={t.page.steps.loading}>
        {(state) => (
          <ul class="rows">
            <PlacesStep id={id} state={state} reload={loaded.reload} />
            <TestStep id={id} state={state} reload={loaded.reload} />
            {me.value?.mail && roleOnPage.value === undefined && (
              <MailStep id={id} state={state} reload={loaded.reload} />
            )}
            <ThanksStep id={id} state={state} reload={loaded.reload} />
            {may(READS_DOMAINS) && <DomainStep id={id} state={state} reload={loaded.reload} />}
          </ul>
        )}
      </Shown>
    </Section>
  );
}
