import type { ComponentChildren, JSX } from 'preact';
import type { Change } from '../../data.ts';
import { checkSite, type Site } from '../../sites.ts';
import { counted, t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import { Form, FormEnd } from '../../ui/form.tsx';
import { usePublishCheck } from '../../ui/publish-check.tsx';
import { SiteFindings, useSiteCheck } from '../../ui/site-findings.tsx';

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
        {'zip' in site ? (
          <Rich text={t.editor.site.chosenZip} with={{ name: site.zip.name }} />
        ) : (
          counted(t.editor.site.chosenFiles, site.others.length + 1)
        )}
      </p>
      {/* An error of publishing says the same. */}
      {change.state !== 'failed' && <SiteFindings loaded={loaded} />}
      {children}
      <FormEnd
        change={change}
        icon="upload"
        button={t.editor.publish}
        {...(change.state !== 'saving' && { onCancel })}
      />
    </Form>
  );
}
