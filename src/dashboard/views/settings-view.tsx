import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useData } from '../data.ts';
import { useOtherTabs } from '../other-tabs.ts';
import { pageLinks } from '../page-links.ts';
import { may } from '../permissions.ts';
import { type ReadSettings, readSettings, useEditedSettings } from '../settings/edited-settings.ts';
import { t } from '../texts/chosen-texts.ts';
import { Form } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { type Page, PageView, READS_SETTINGS } from '../ui/page-layout.tsx';
import { SaveBar } from '../ui/save-bar.tsx';
import { Shown } from '../ui/states.tsx';
import { Address } from './settings/address-section.tsx';
import { DeleteEverything } from './settings/delete-everything.tsx';
import { Guests } from './settings/guests-section.tsx';
import { ReceiversLink } from './settings/receivers-link.tsx';
import { Sections } from './settings/setting-sections.tsx';
import { Shares } from './settings/shares-section.tsx';
import { type Screen, VisitorPreview } from './settings/visitor-preview.tsx';
import './settings-view.css';

const FORM = 'settings';

/** Opens and closes the parts of the view: at first the one that the address names. */
function useOpened(): { isOpen(name: string): boolean; toggle(name: string): void } {
  const named = location.hash.slice(1);
  const [opened, setOpened] = useState<ReadonlySet<string>>(() => new Set([named || 'thanks']));
  // The part was not there when the address was opened.
  useEffect(() => document.getElementById(named)?.scrollIntoView(), []);
  return {
    isOpen: (name) => opened.has(name),
    toggle: (name) =>
      setOpened((before) => new Set(before.has(name) ? [...before].filter((one) => one !== name) : [...before, name])),
  };
}

function Loaded({ page, found }: { page: Page; found: ReadSettings }): JSX.Element {
  const edited = useEditedSettings('settings', page.id, found);
  const opened = useOpened();
  const [screen, setScreen] = useState<Screen>('thanks');
  return (
    <div class="settings">
      <div class="stack">
        <div class="panels">
          <Form needs="nothing" id={FORM} onSubmit={edited.save}>
            <Sections page={page} edited={edited} opened={opened} onEdit={setScreen} />
          </Form>
          <ReceiversLink id={page.id} settings={edited.settings} />
          {may('GET /deploy/{id}/domains') && (
            <Address page={page} isOpen={opened.isOpen('address')} onToggle={() => opened.toggle('address')} />
          )}
          {may('GET /deploy/{id}/guests') && (
            <Guests id={page.id} isOpen={opened.isOpen('guests')} onToggle={() => opened.toggle('guests')} />
          )}
          {may('GET /deploy/{id}/shares') && (
            <Shares id={page.id} isOpen={opened.isOpen('shares')} onToggle={() => opened.toggle('shares')} />
          )}
          {may('POST /submissions/{deployId}/import') && (
            <section class="panel">
              <h2>
                <a class="panel-head" href={pageLinks(page.id).importing}>
                  <span>{t.settings.importing.title}</span>
                  <span class="panel-state">{t.settings.importing.about}</span>
                  <Icon name="next" />
                </a>
              </h2>
            </section>
          )}
          {may('DELETE /deploy/{id}') && (
            <DeleteEverything
              page={page}
              isOpen={opened.isOpen('everything')}
              onToggle={() => opened.toggle('everything')}
            />
          )}
        </div>
        <SaveBar form={FORM} count={edited.count} change={edited.change} onDiscard={edited.discard} />
      </div>
      <VisitorPreview page={page} typed={edited.typed} screen={screen} onShow={setScreen} />
    </div>
  );
}

function Settings({ page }: { page: Page }): JSX.Element {
  const loaded = useData(`settings:${page.id}`, (signal) => readSettings(page.id, signal));
  useOtherTabs(loaded.reload);
  return (
    <Shown loaded={loaded} label={t.settings.loading}>
      {(found) => <Loaded page={page} found={found} />}
    </Shown>
  );
}

/** The settings of a page. */
const SettingsView = (): JSX.Element => (
  <PageView needs={READS_SETTINGS} title={t.settings.title}>
    {(page) => <Settings key={page.id} page={page} />}
  </PageView>
);

export default SettingsView;
