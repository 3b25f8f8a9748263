import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { chooseLanguage, chosenLanguage } from '../../chosen-language.ts';
import { t } from '../../texts/chosen-texts.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { LanguageChoice } from '../../ui/language-choice.tsx';
import { Section } from '../../ui/section.tsx';

/** The language of the dashboard in this browser. It calls nothing: guests choose it, too. */
export function DashboardLanguage(): JSX.Element {
  const [language, setLanguage] = useState(chosenLanguage);
  return (
    <Section title={t.account.language.title} hint={t.account.language.hint} isSplit>
      <Form needs="nothing" onSubmit={() => chooseLanguage(language)}>
        <LanguageChoice language={language} onChange={setLanguage} />
        <div class="buttons end">
          <Button>{t.account.language.change}</Button>
        </div>
      </Form>
    </Section>
  );
}
