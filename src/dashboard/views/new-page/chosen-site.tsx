import type { ComponentChildren, JSX } from 'preact';
import type { Change } from '../../data.ts';
import { checkSite, type Site } from '../../sites.ts';
import { Form, FormEnd } from '../../ui/form.tsx';
import { usePublishCheck } from '../../ui/publish-check.tsx';
import { SiteFindings, useSiteCheck } from '../../ui/site-findings.tsx';
import { counted } from '../../ui/time.tsx';

/** A folder or a zip that is chosen, with what the form check finds in its files, and the button that publishes it. */
export function ChosenSite({
  site,
  change,
  onPublish,
  onCancel,
  children,
}: {
  site: Site;
  change: Change;
  onPublish(): unknown;
  onCancel(): void;
  /** More fields. */
  children: ComponentChildren;
}): JSX.Element {
  const loaded = useSiteCheck(site);
  const { publishChecked, isChecking, question } = usePublishCheck();
  const submit = (): unknown => isChecking || publishChecked(async () => loaded.data ?? checkSite(site), onPublish);
  return (
    <Form needs="POST /deploy" class="card" onSubmit={submit}>
      {question}
      <p role="status">
        Chosen: <bdi>{'zip' in site ? site.zip.name : counted(site.others.length + 1, 'file')}</bdi>
      </p>
      {/* An error of publishing says the same. */}
      {change.state !== 'failed' && <SiteFindings loaded={loaded} />}
      {children}
      <FormEnd change={change} icon="upload" button="Publish" {...(change.state !== 'saving' && { onCancel })} />
    </Form>
  );
}
