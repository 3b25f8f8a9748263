import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { pageName } from '../../../sites/page-name.ts';
import { fill, t } from '../../texts/chosen-texts.ts';
import { ButtonLink, Toggle } from '../../ui/button.tsx';
import type { Page } from '../../ui/page-layout.tsx';
import { Section } from '../../ui/section.tsx';

/**
 * The page in a frame, from its own host. Its scripts run with an origin of their own, and it can't send its form, open windows or
 * lead the dashboard elsewhere.
 */
export function Preview({ page }: { page: Page }): JSX.Element {
  const [isPhone, setPhone] = useState(false);
  return (
    <Section
      title={t.page.preview.heading}
      actions={
        <Toggle isOn={isPhone} onSwitch={() => setPhone(!isPhone)}>
          {t.page.preview.asOnPhone}
        </Toggle>
      }
    >
      <iframe
        class={isPhone ? 'preview phone' : 'preview'}
        title={fill(t.page.preview.frame, { name: pageName(page) })}
        src={page.url}
        sandbox="allow-scripts"
        referrerpolicy="no-referrer"
      />
      <div class="spread">
        <p class="muted">{t.page.preview.noForms}</p>
        <ButtonLink href={page.url} icon="open" isElsewhere>
          {t.page.preview.open}
        </ButtonLink>
      </div>
    </Section>
  );
}
