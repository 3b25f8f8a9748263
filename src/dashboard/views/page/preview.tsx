import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ButtonLink } from '../../ui/button.tsx';
import type { Page } from '../../ui/page-view.tsx';

const WIDTHS = [
  { name: 'wide', label: 'As wide as here' },
  { name: 'phone', label: 'As on a phone' },
] as const;

/**
 * The page in a frame, from its own host. Its scripts run with an origin of their own, and it can't send its form, open windows or
 * lead the dashboard elsewhere.
 */
export function Preview({ page }: { page: Page }): JSX.Element {
  const [width, setWidth] = useState<(typeof WIDTHS)[number]['name']>('wide');
  return (
    <section class="card" aria-labelledby="preview">
      <div class="preview-head">
        <h2 id="preview">Preview</h2>
        <fieldset class="choices">
          <legend class="unseen">Width of the preview</legend>
          {WIDTHS.map(({ name, label }) => (
            <label key={name} class="choice">
              <input
                type="radio"
                name="width"
                class="unseen"
                checked={width === name}
                onChange={() => setWidth(name)}
              />
              <span>{label}</span>
            </label>
          ))}
        </fieldset>
      </div>
      <iframe
        class={`preview ${width}`}
        title={`Preview of ${page.slug}`}
        src={page.url}
        sandbox="allow-scripts"
        referrerpolicy="no-referrer"
      />
      <div class="preview-foot">
        <p class="muted">Forms can't be sent from the preview: open the page to try them.</p>
        <ButtonLink href={page.url} icon="open" isElsewhere>
          Open the page
        </ButtonLink>
      </div>
    </section>
  );
}
