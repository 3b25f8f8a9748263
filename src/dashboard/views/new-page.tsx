import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { answer, api } from '../api.ts';
import { errorAt, useChange, useData, useDraft } from '../data.ts';
import { Editor } from '../editor/editor.tsx';
import { findStartingPoint, StartingPoints } from '../editor/starting-points.tsx';
import { pageLinks } from '../links.ts';
import type { Site } from '../sites.ts';
import { SiteChooser } from '../ui/site-chooser.tsx';
import { SlugField, slugOf } from '../ui/slug-field.tsx';
import { Shown } from '../ui/states.tsx';
import { View } from '../ui/view.tsx';
import { Elsewhere } from './new-page/elsewhere.tsx';
import { PublishSite } from './new-page/publish-site.tsx';

/** Publishes HTML as a new page. `draft`: the name under which the tab keeps it. */
function Publish({ draft, initial }: { draft: string; initial?: string }): JSX.Element {
  const { route } = useLocation();
  const [html, setHtml, dropHtml] = useDraft(`html:${draft}`, initial);
  const [slug, setSlug, dropSlug] = useDraft('slug');
  const { change, run } = useChange();
  function leaveFor(path: string): void {
    dropHtml();
    dropSlug();
    route(path);
  }
  const publish = (): unknown =>
    run(async () => {
      const body = { html, ...(slugOf(slug) !== '' && { slug: slugOf(slug) }) };
      const { id } = await answer(api.POST('/deploy', { body }));
      leaveFor(pageLinks(id).live);
    });
  return (
    <Editor html={html} onChange={setHtml} onPublish={publish} onCancel={() => leaveFor('/dashboard')} change={change}>
      <SlugField label="Slug" value={slug} onChange={setSlug} error={errorAt(change, 'slug')} />
    </Editor>
  );
}

/** Begins with the HTML of a finished page. */
function PublishStartingPoint({ name, url }: { name: string; url: string }): JSX.Element {
  const loaded = useData(url, async (signal) => {
    const response = await fetch(url, { signal });
    if (!response.ok) throw new Error('The page was not found: load the dashboard again.');
    return response.text();
  });
  return (
    <Shown loaded={loaded} label="Loading the page">
      {(html) => <Publish draft={name} initial={html} />}
    </Shown>
  );
}

/** Publishes HTML, or a site that was chosen. */
function PublishOwn(): JSX.Element {
  const [site, setSite] = useState<Site>();
  if (site) return <PublishSite site={site} onCancel={() => setSite(undefined)} />;
  return (
    <>
      <SiteChooser text="A site with files: drop its folder or a zip here, or choose it." onSite={setSite} />
      <Publish draft="new" />
    </>
  );
}

/** Publishes a page. `?start=` names the finished page that it begins with, or `elsewhere`: the form is on another site. */
export default function NewPage(): JSX.Element {
  // Not that of useLocation: it changes before this view is gone.
  const { start } = useRoute().query;
  if (start === 'elsewhere') return <Elsewhere />;
  const point = findStartingPoint(start);
  if (point) {
    return (
      <View title={`New page: ${point.title}`}>
        <p>Change the texts as you like: the preview and the check follow.</p>
        <PublishStartingPoint key={point.name} {...point} />
      </View>
    );
  }
  return (
    <View title="New page">
      <h2>Start from a finished page</h2>
      <StartingPoints />
      <h2>Or use your own HTML</h2>
      <PublishOwn />
    </View>
  );
}
