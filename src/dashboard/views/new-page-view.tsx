import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { isPageName, type PageName } from '../../finished-pages/finished-pages.ts';
import { VIEW_PATHS } from '../../lib/dashboard-paths.ts';
import { type Language, toLanguage } from '../../lib/languages.ts';
import { answer, api } from '../api.ts';
import { errorOf, useChange, useData, useDraft, useOnce } from '../data.ts';
import type { Draft } from '../editor/draft/draft-place.ts';
import { DraftQuestion } from '../editor/draft/draft-question.tsx';
import { newPageDraft } from '../editor/draft/page-draft.ts';
import { usePageDraft } from '../editor/draft/use-page-draft.ts';
import { LazyEditor } from '../editor/lazy-editor.tsx';
import { readFinishedPages } from '../editor/read-finished-pages.ts';
import { StartingPoints } from '../editor/starting-points.tsx';
import { HtmlFiles } from '../html-files.ts';
import { draftNameOf, NEW_DRAFT, newPageLink } from '../new-page-drafts.ts';
import { pageLinks } from '../page-links.ts';
import { may } from '../permissions.ts';
import { publishSite, type Site } from '../sites.ts';
import { fill, language as ownLanguage, t } from '../texts/chosen-texts.ts';
import { ReadOnly } from '../ui/read-only.tsx';
import { say } from '../ui/say.tsx';
import { SiteChooser } from '../ui/site-chooser.tsx';
import { SlugField, slugOf } from '../ui/slug-field.tsx';
import { Shown } from '../ui/states.tsx';
import { View } from '../ui/view.tsx';
import { ChosenSite } from './new-page/chosen-site.tsx';
import { Elsewhere } from './new-page/elsewhere.tsx';

const LABELS = { slug: t.editor.start.address };

type Props = {
  /** The name of the draft. */
  draft: string;
  /** The HTML that it begins with. */
  initial?: string;
};

/** Publishes HTML, or a site that is chosen, as a new page. The account keeps the HTML. `found`: the draft when the editor was opened. */
function PublishDraft({ draft, initial, found }: Props & { found: Draft | undefined }): JSX.Element {
  const { route } = useLocation();
  const drafted = usePageDraft(newPageDraft(draft), { html: initial ?? '', etag: '' }, found);
  const { html } = drafted.draft;
  const isChanged = html !== (initial ?? '');
  const [slug, setSlug, dropSlug] = useDraft('slug');
  const [site, setSite] = useState<Site>();
  const { change, run, clear } = useChange({ labels: LABELS });
  const header = useOnce(html, slug, site);
  const publish = (): unknown =>
    run(async () => {
      const named = slugOf(slug) === '' ? {} : { slug: slugOf(slug) };
      const { id } = await (site
        ? publishSite(site, named, header)
        : answer(api.POST('/deploy', { params: { header }, body: { html, ...named } })));
      // A site is published in place of it.
      if (!site) drafted.dropPublished(html);
      dropSlug();
      route(pageLinks(id).live);
    });
  async function choose(chosen: Site): Promise<void> {
    clear();
    if (!('index' in chosen && chosen.others.length === 0)) return setSite(chosen);
    const pages = new HtmlFiles();
    drafted.type(await pages.read(chosen.index));
    if (pages.notice !== '') say(pages.notice);
  }
  function giveUp(): void {
    clear();
    setSite(undefined);
  }
  /** Leaves without what was typed, which *Undo* brings back. */
  function cancel(): void {
    if (isChanged) {
      const restore = drafted.drop();
      say(t.editor.edit.discarded, async () => {
        restore();
        route(newPageLink(draft));
      });
    }
    dropSlug();
    route(VIEW_PATHS.pages);
  }
  const slugField = <SlugField label={LABELS.slug} value={slug} onChange={setSlug} error={errorOf(change, 'slug')} />;
  if (site) {
    return (
      <ChosenSite site={site} change={change} onPublish={publish} onCancel={giveUp}>
        {slugField}
      </ChosenSite>
    );
  }
  return (
    <>
      <LazyEditor
        html={html}
        onChange={drafted.type}
        onPublish={publish}
        onCancel={cancel}
        change={change}
        isChanged={isChanged}
        isNew={initial !== undefined}
        kept={drafted.state}
        end={slugField}
      >
        {initial === undefined && <SiteChooser text={t.editor.start.dropSite} onSite={choose} />}
      </LazyEditor>
      <DraftQuestion drafted={drafted} />
    </>
  );
}

/** Goes on with a draft, if there is one. */
function Publish(props: Props): JSX.Element {
  const { draft } = props;
  const loaded = useData(`draft:${draft}`, async (signal) => ({ found: await newPageDraft(draft).read(signal) }));
  return (
    <Shown loaded={loaded} label={t.editor.edit.loadingDraft}>
      {({ found }) => <PublishDraft {...props} found={found} />}
    </Shown>
  );
}

/** Begins with the HTML of a finished page. */
function PublishFinishedPage({ name, language }: { name: PageName; language: Language }): JSX.Element {
  const loaded = useData(`finished-pages:${language}`, () => readFinishedPages(language));
  return (
    <Shown loaded={loaded} label={t.editor.start.loadingPage}>
      {(makePage) => <Publish draft={draftNameOf(name, language)} initial={makePage(name)} />}
    </Shown>
  );
}

/**
 * Publishes a page. `?start=` names the finished page that it begins with, and `language` its language; `elsewhere`: the form is on
 * another site. `draft`: the name of one's draft of other HTML.
 */
export default function NewPage(): JSX.Element {
  // Not that of useLocation: it changes before this view is gone.
  const { start, language, draft = NEW_DRAFT } = useRoute().query;
  if (!may('POST /deploy')) {
    return (
      <View title={t.editor.start.newPage}>
        <ReadOnly />
      </View>
    );
  }
  if (start === 'elsewhere') return <Elsewhere />;
  if (isPageName(start)) {
    const known = toLanguage(language) ?? ownLanguage;
    return (
      <View title={fill(t.editor.start.newPageOf, { title: t.editor.start.pages[start].title })}>
        <p class="on-wide">{t.editor.start.chooseText}</p>
        <p class="on-narrow">{fill(t.editor.start.chooseTextNarrow, { settings: t.editor.modes.settings })}</p>
        <PublishFinishedPage key={`${start}.${known}`} name={start} language={known} />
      </View>
    );
  }
  return (
    <View title={t.editor.start.newPage}>
      <h2>{t.editor.start.fromFinished}</h2>
      <StartingPoints />
      <h2>{t.editor.start.ownHtml}</h2>
      <Publish key={draft} draft={draft} />
    </View>
  );
}
