import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { counted, language, t } from '../texts/chosen-texts.ts';
import { Rich } from '../texts/rich.tsx';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Empty } from '../ui/states.tsx';
import { View } from '../ui/view.tsx';
import { TOPICS } from './help/topics.tsx';
import NotFound from './not-found-view.tsx';

/** What a search looks through: a guide is found by any of its words. */
const SEARCHED = TOPICS.map((topic) => ({
  topic,
  text: Object.entries(topic.texts)
    .filter(([name]) => name !== 'picture')
    .map(([, text]) => text.replaceAll(/<\/?\w+>/g, ''))
    .join(' ')
    .toLocaleLowerCase(language),
}));

/** The guides whose texts have all words of a search. */
function List(): JSX.Element {
  const [search, setSearch] = useState('');
  const words = search.toLocaleLowerCase(language).split(/\s+/).filter(Boolean);
  const found = SEARCHED.filter(({ text }) => words.every((word) => text.includes(word)));
  return (
    <View title={t.help.title}>
      <search class="help-search">
        <input
          type="search"
          aria-label={t.help.search}
          placeholder={t.help.search}
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      </search>
      <ul class="help-cards">
        {found.map(({ topic: { name, icon, texts } }) => (
          <li key={name} class="card help-card">
            <Icon name={icon} />
            <h2>
              <a class="subtle" href={`/dashboard/help/${name}`}>
                {texts.title}
              </a>
            </h2>
            <p class="muted">{texts.about}</p>
          </li>
        ))}
      </ul>
      {found.length === 0 && (
        <Empty icon="search" title={t.help.noneFound}>
          <p>
            <Rich text={t.help.noneHas} with={{ search: search.trim() }} />
          </p>
          <Button onClick={() => setSearch('')}>{t.help.showAll}</Button>
        </Empty>
      )}
      <p class="unseen" role="status">
        {words.length > 0 && counted(t.help.found, found.length)}
      </p>
    </View>
  );
}

/** Guides for people who use only the dashboard: their list, or one of them. */
export default function Help(): JSX.Element {
  const { topic } = useRoute().params;
  if (topic === undefined) return <List />;
  const found = TOPICS.find(({ name }) => name === topic);
  if (!found) return <NotFound />;
  const { texts, picture, Text } = found;
  return (
    <View title={texts.title}>
      <article class="guide stack">
        <Text />
        <img src={picture} alt={texts.picture} />
        <p>
          <a href="/dashboard/help">{t.help.allGuides}</a>
        </p>
      </article>
    </View>
  );
}
