import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { ApiError, answer, api } from '../api.ts';
import { errorAt, useChange, useData, useDraft } from '../data.ts';
import { pageLinks } from '../links.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { FormSnippet } from '../ui/form-snippet.tsx';
import { HtmlInput } from '../ui/html-input.tsx';
import { say } from '../ui/say.tsx';
import { SlugField, slugOf } from '../ui/slug-field.tsx';
import { NotSaved, Shown } from '../ui/states.tsx';
import { View } from '../ui/view.tsx';
import NotFound from './not-found.tsx';

/** Publishes HTML as a new page, or in place of that of `replaced`. */
function Publish({ replaced }: { replaced: { id: string; slug: string } | undefined }): JSX.Element {
  const { route } = useLocation();
  const [html, setHtml, dropHtml] = useDraft(`html:${replaced?.id ?? 'new'}`);
  const [slug, setSlug, dropSlug] = useDraft('slug');
  const { change, run } = useChange();
  const [isMissing, setMissing] = useState(false);

  async function publish(): Promise<void> {
    await run(async () => {
      const published = replaced
        ? await answer(api.PUT('/deploy/{id}', { params: { path: { id: replaced.id } }, body: { html } }))
        : await answer(api.POST('/deploy', { body: { html, ...(slugOf(slug) !== '' && { slug: slugOf(slug) }) } }));
      dropHtml();
      dropSlug();
      say(replaced ? `${published.slug} has the new HTML.` : `${published.slug} is live.`);
      route(pageLinks(published.id).page);
    });
  }

  return (
    <Form
      class="card"
      onSubmit={() => {
        setMissing(html.trim() === '');
        if (html.trim() !== '') void publish();
      }}
    >
      <HtmlInput
        html={html}
        onChange={setHtml}
        error={isMissing && html.trim() === '' ? 'Paste the page, or choose its file.' : undefined}
      />
      {!replaced && <SlugField label="Slug" value={slug} onChange={setSlug} error={errorAt(change, 'slug')} />}
      <NotSaved change={change} />
      <div class="buttons end">
        <ButtonLink href="/dashboard">Cancel</ButtonLink>
        <Button kind="main" icon="upload" isBusy={change.state === 'saving'}>
          Publish
        </Button>
      </div>
    </Form>
  );
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** The page that a form on another site belongs to: visitors rarely come here. */
const smallPage = (name: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(name)}</title>
<h1>${escapeHtml(name)}</h1>
<p>The form of this page is on another site.</p>
</html>
`;

/** For a form on a site that is published elsewhere: creates a small page, and shows what to paste there. */
function Elsewhere(): JSX.Element {
  const [name, setName] = useState('');
  const [made, setMade] = useState<string>();
  const { change, run } = useChange();
  const create = (): unknown =>
    run(async () => {
      const { id } = await answer(api.POST('/deploy', { body: { html: smallPage(name.trim() || 'Contact') } }));
      setMade(id);
    });

  if (made !== undefined) {
    return (
      <div class="card">
        <h2>Paste this into your page</h2>
        <FormSnippet id={made} />
        <p class="muted">
          Forms of any site may send. <a href={pageLinks(made).settings}>Settings</a> can allow some only.
        </p>
        <p class="buttons end">
          <ButtonLink kind="main" href={pageLinks(made).inbox}>
            To its inbox
          </ButtonLink>
        </p>
      </div>
    );
  }
  return (
    <Form class="card" onSubmit={create}>
      <Field label="Name of the form" hint="Such as Contact." value={name} onChange={setName} />
      <NotSaved change={change} />
      <div class="buttons end">
        <Button isBusy={change.state === 'saving'}>Get the form</Button>
      </div>
    </Form>
  );
}

function Replace({ id }: { id: string }): JSX.Element {
  const loaded = useData(`replaced:${id}`, (signal) =>
    answer(api.GET('/deploy/{id}', { params: { path: { id } }, signal })),
  );
  const { data: page, error } = loaded;
  if (error instanceof ApiError && error.status === 404) return <NotFound />;
  return (
    <View title={page ? `Replace ${page.slug}` : 'Replace a page'}>
      <p class="muted">The address, the submissions and the settings stay. The HTML of before is kept as a version.</p>
      <Shown loaded={loaded} label="Loading the page">
        {(found) => <Publish replaced={found} />}
      </Shown>
    </View>
  );
}

/** Publishes a page; `?replace=<id>` gives an existing one new HTML. */
export default function NewPage(): JSX.Element {
  const { query } = useLocation();
  if (query.replace) return <Replace key={query.replace} id={query.replace} />;
  return (
    <View title="New page">
      <Publish replaced={undefined} />
      <details class="elsewhere">
        <summary>My page is elsewhere</summary>
        <Elsewhere />
      </details>
    </View>
  );
}
