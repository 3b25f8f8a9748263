import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { answer, api } from '../api.ts';
import { useData } from '../data.ts';
import { ownFields } from '../own-fields.ts';
import { pageLinks } from '../page-links.ts';
import { may } from '../permissions.ts';
import { t } from '../texts/chosen-texts.ts';
import { Rich } from '../texts/rich.tsx';
import { ButtonLink } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Findings } from '../ui/findings.tsx';
import { FormSnippet } from '../ui/form-snippet.tsx';
import { type Page, PageView } from '../ui/page-layout.tsx';
import { Section } from '../ui/section.tsx';
import { Share } from '../ui/share.tsx';
import { Thumbnail } from '../ui/thumbnail.tsx';
import { Steps } from './live/steps.tsx';
import './live-view.css';

const Address = ({ page }: { page: Page }): JSX.Element => (
  <section class="card live" aria-label={t.page.live.label}>
    <Thumbnail page={page} />
    <div class="stack">
      <p class="saved">{t.page.live.liveAt}</p>
      <p class="live-address">
        <a href={page.url} target="_blank" rel="noopener">
          <bdi>{page.url.replace(/^https?:\/\//, '')}</bdi>
          <span class="unseen"> {t.page.opensInNewTab}</span>
        </a>
      </p>
      <div class="buttons">
        <ButtonLink kind="main" icon="open" href={page.url} isElsewhere>
          {t.page.live.open}
        </ButtonLink>
        <CopyButton kind="plain" text={page.url}>
          {t.page.live.copyLink}
        </CopyButton>
        {may('PUT /deploy/{id}') && (
          <ButtonLink icon="edit" href={pageLinks(page.id).edit}>
            {t.page.live.edit}
          </ButtonLink>
        )}
      </div>
    </div>
  </section>
);

const PasteForm = ({ id }: { id: string }): JSX.Element => (
  <Section title={t.page.live.paste}>
    <FormSnippet id={id} />
    <p class="muted">
      <Rich
        text={t.page.live.anySite}
        with={{ a: (label) => <a href={`${pageLinks(id).settings}#senders`}>{label}</a> }}
      />
    </p>
  </Section>
);

function Loaded({ page, isElsewhere }: { page: Page; isElsewhere: boolean }): JSX.Element {
  const { route } = useLocation();
  const { id } = page;
  const checked = useData(`check:${id}`, (signal) =>
    answer(api.GET('/deploy/{id}/check', { params: { path: { id } }, signal })),
  );
  const { data } = checked;
  return (
    <>
      {isElsewhere ? <PasteForm id={id} /> : <Address page={page} />}
      {!isElsewhere && data && data.problems.length > 0 && (
        <Section title={t.page.live.toCorrect}>
          <Findings
            checked={data}
            {...(may('PUT /deploy/{id}') && {
              onShow: ({ line, column }) => route(`${pageLinks(id).edit}?line=${line}&column=${column}`),
            })}
          />
        </Section>
      )}
      {may('PATCH /deploy/{id}') && <Steps page={page} checked={checked} />}
      {!isElsewhere && <Share page={page} fields={data && ownFields(data)} />}
    </>
  );
}

/** A page that was just published: its address, and the next steps. `?form=elsewhere`: the form is on another site. */
export default function Live(): JSX.Element {
  const isElsewhere = useLocation().query.form === 'elsewhere';
  return (
    <PageView needs="GET /deploy/{id}/check" title={isElsewhere ? t.page.live.titleOfForm : t.page.live.title}>
      {(page) => <Loaded key={page.id} page={page} isElsewhere={isElsewhere} />}
    </PageView>
  );
}
