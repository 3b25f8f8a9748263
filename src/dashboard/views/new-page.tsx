import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { ApiError, answer, api } from '../api.ts';
import { useChange, useData, useDraft } from '../data.ts';
import { pageLinks } from '../links.ts';
import { Button, ButtonLink, CopyButton } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { HtmlInput } from '../ui/html-input.tsx';
import { say } from '../ui/say.tsx';
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
        : await answer(api.POST('/deploy', { body: { html, ...(slug.trim() !== '' && { slug: slug.trim() }) } }));
      dropHtml();
      dropSlug();
      say(replaced ? `${published.slug} has the new HTML.` : `${published.slug} is live.`, {
        label: 'Open it',
        run: () => window.open(published.url, '_blank', 'noopener'),
      });
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
      {!replaced && (
        <Field
          label="Slug"
          hint="The first part of its address. Left empty: made of its title."
          value={slug}
          onChange={setSlug}
          autoComplete="off"
        />
      )}
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

const snippet = (action: string): string => `<form method="post" action="${action}">
  <p><label>Name <input name="name" autocomplete="name" required></label></p>
  <p><label>E-mail <input name="email" type="email" autocomplete="email" required></label></p>
  <p><label>Message <textarea name="message" required></textarea></label></p>
  <!-- Leave it empty: whoever fills it in is a machine. -->
  <input name="_hp" hidden tabindex="-1" autocomplete="off">
  <button>Send</button>
</form>
`;

/** The origin of an address as people type it, with or without its scheme. */
function siteOf(text: string): string | undefined {
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`);
  return url?.hostname.includes('.') || url?.hostname === 'localhost' ? url.origin : undefined;
}

/** For a form on a site that is published elsewhere: creates a small page, and shows what to paste there. */
function Elsewhere(): JSX.Element {
  const [name, setName, dropName] = useDraft('elsewhere-name');
  const [site, setSite, dropSite] = useDraft('elsewhere-site');
  const [made, setMade] = useState<{ id: string; action: string }>();
  const [isSent, setSent] = useState(false);
  /** The page that was created before a later step failed: the next try goes on with it. */
  const begun = useRef<{ id: string; name: string }>(undefined);
  const { change, run } = useChange();
  const origin = siteOf(site.trim());
  const isWrong = site.trim() !== '' && origin === undefined;

  async function createPage(): Promise<string> {
    if (begun.current?.name === name) return begun.current.id;
    const { id } = await answer(api.POST('/deploy', { body: { html: smallPage(name.trim() || 'Contact') } }));
    begun.current = { id, name };
    return id;
  }

  async function create(): Promise<void> {
    await run(async () => {
      const created = { id: await createPage() };
      if (origin !== undefined) {
        const params = { path: { id: created.id } };
        await answer(api.PATCH('/deploy/{id}', { params, body: { allowed_origins: [origin] } }));
      }
      const { deployments } = await answer(api.GET('/overview', { params: { query: { limit: 1 } } }));
      const action =
        deployments.find(({ id }) => id === created.id)?.form_action ?? `${location.origin}/submit/${created.id}`;
      setMade({ id: created.id, action });
      dropName();
      dropSite();
    });
  }

  if (made) {
    return (
      <div class="card">
        <h2>Paste this into your page</h2>
        <p class="muted">Change the fields as you like: whatever it sends arrives here.</p>
        <pre>
          <code>{snippet(made.action)}</code>
        </pre>
        <div class="buttons end">
          <CopyButton kind="plain" text={snippet(made.action)}>
            Copy
          </CopyButton>
          <ButtonLink kind="main" href={pageLinks(made.id).inbox}>
            To its inbox
          </ButtonLink>
        </div>
      </div>
    );
  }
  return (
    <Form
      class="card"
      onSubmit={() => {
        setSent(true);
        if (!isWrong) void create();
      }}
    >
      <Field label="Name of the form" hint="Such as Contact." value={name} onChange={setName} />
      <Field
        label="Address of your site"
        hint="Such as https://example.org. Then only forms of that site are accepted. Left empty: those of any site."
        type="url"
        value={site}
        onChange={setSite}
        error={isSent && isWrong ? 'Enter it such as https://example.org.' : undefined}
      />
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
    <View title={page ? `Replace ${page.slug}` : 'Replace a page'} isNarrow>
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
    <View title="New page" isNarrow>
      <Publish replaced={undefined} />
      <details class="elsewhere">
        <summary>My page is elsewhere</summary>
        <Elsewhere />
      </details>
    </View>
  );
}
