import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { errorAt, useChange } from '../../data.ts';
import { pageLinks } from '../../links.ts';
import { publishSite, type Site } from '../../sites.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { SlugField, slugOf } from '../../ui/slug-field.tsx';
import { NotSaved } from '../../ui/states.tsx';
import { counted } from '../../ui/time.tsx';

/** Publishes files that were chosen as a new page. */
export function PublishSite({ site, onCancel }: { site: Site; onCancel(): void }): JSX.Element {
  const { route } = useLocation();
  const [slug, setSlug] = useState('');
  const { change, run } = useChange();
  const publish = (): unknown =>
    run(async () => {
      const { id } = await publishSite(site, slugOf(slug) === '' ? {} : { slug: slugOf(slug) });
      route(pageLinks(id).live);
    });
  return (
    <Form class="card" onSubmit={publish}>
      <p role="status">
        Chosen: <bdi>{'zip' in site ? site.zip.name : counted(site.others.length + 1, 'file')}</bdi>
      </p>
      <SlugField label="Slug" value={slug} onChange={setSlug} error={errorAt(change, 'slug')} />
      <NotSaved change={change} />
      <div class="buttons end">
        <Button onClick={onCancel}>Cancel</Button>
        <Button kind="main" icon="upload" isBusy={change.state === 'saving'}>
          Publish
        </Button>
      </div>
    </Form>
  );
}
