import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { isPageName, type PageName } from '../../finished-pages/finished-pages.ts';
import { type Language, toLanguage } from '../../lib/languages.ts';
import { answer, api } from '../api.ts';
import { errorOf, useChange, useData, useDraft, useOnce } from '../data.ts';
import { LazyEditor } from '../editor/lazy-editor.tsx';
import { readFinishedPages } from '../editor/read-finished-pages.ts';
import { StartingPoints } from '../editor/starting-points.tsx';
import { HtmlFiles } from '../html-files.ts';
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

/** Publishes HTML, or a site that is chosen, as a new page. `draft`: the name under which the tab keeps the HTML. */
function Publish({ draft, initial }: { draft: string; initial?: string }): JSX.Element {
  const { route } = useLocation();
  const [html, setHtml, dropHtml] = useDraft(`html:${draft}`, initial);
  const [slug, setSlug, dropSlug] = useDraft('slug');
  const [site, setSite] = useState<Site>();
  const { change, run, clear } = useChange({ labels: LABELS });
  function leaveFor(path: string): void {
    dropHtml();
    dropSlug();
    route(path);
  }
  const header = useOnce(html, slug, site);
  const publish = (): unknown =>
    run(async () => {
      const named = slugOf(slug) === '' ? {} : { slug: slugOf(slug) };
      const { id } = await (site
        ? publishSite(site, named, header)
        : answer(api.POST('/deploy', { params: { header }, body: { html, ...named } })));
      leaveFor(pageLinks(id).live);
    });
  async function choose(chosen: Site): Promise<void> {
    clear();
    if (!('index' in chosen && chosen.others.length === 0)) return setSite(chosen);
    const pages = new HtmlFiles();
    setHtml(await pages.read(chosen.index));
    if (pages.notice !== '') say(pages.notice);
  }
  function giveUp(): void {
    clear();
    setSite(undefined);
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
    <LazyEditor
      html={html}
      onChange={setHtml}
      onPublish={publish}
      onCancel={() => leaveFor('/dashboard')}
      change={change}
      isChanged={html !== (initial ?? '')}
      end={slugField}
    >
      {initial === undefined && <SiteChooser text={t.editor.start.dropSite} onSite={choose} />}
    </LazyEditor>
  );
}

/** Begins with the HTML of a finished page. */
function PublishFinishedPage({ name, language }: { name: PageName; language: Language }): JSX.Element {
  const loaded = useData(`finished-pages:${language}`, () => readFinishedPages(language));
  return (
    <Shown loaded={loaded} label={t.editor.start.loadingPage}>
      {(makePage) => <Publish draft={`${name}.${language}`} initial={makePage(name)} />}
    </Shown>
  );
}

/**
 * Publishes a page. `?start=` names the finished page that it begins with, and `language` its language; `elsewhere`: the form is on
 * another site.
 */
export default function NewPage(): JSX.Element {
  // Not that of useLocation: it changes before this view is gone.
  const { start, language } = useRoute().query;
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
        <p>{t.editor.start.chooseText}</p>
        <PublishFinishedPage key={`${start}.${known}`} name={start} language={known} />
      </View>
    );
  }
  return (
    <View title={t.editor.start.newPage}>
      <h2>{t.editor.start.fromFinished}</h2>
      <StartingPoints />
      <h2>{t.editor.start.ownHtml}</h2>
      <Publish draft="new" />
    </View>
  );
}
