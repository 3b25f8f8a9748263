import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Empty } from '../ui/states.tsx';
import { counted } from '../ui/time.tsx';
import { View } from '../ui/view.tsx';
import { TOPICS } from './help/topics.tsx';
import NotFound from './not-found-view.tsx';

/** The texts that people read in a part of a view. */
const textOf = (part: unknown): string => {
  if (typeof part === 'string') return part;
  if (Array.isArray(part)) return part.map(textOf).join(' ');
  if (typeof part !== 'object' || part === null || !('props' in part)) return '';
  const { props } = part;
  return typeof props === 'object' && props !== null && 'children' in props ? textOf(props.children) : '';
};

/** What a search looks through: a guide is found by any of its words. */
const SEARCHED = TOPICS.map((topic) => ({
  topic,
  text: `${topic.title} ${topic.about} ${textOf(topic.Text())}`.toLowerCase(),
}));

/** The guides whose texts have all words of a search. */
function List(): JSX.Element {
  const [search, setSearch] = useState('');
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = SEARCHED.filter(({ text }) => words.every((word) => text.includes(word)));
  return (
    <View title="Help">
      <search class="help-search">
        <input
          type="search"
          aria-label="Search the guides"
          placeholder="Search the guides"
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      </search>
      <ul class="help-cards">
        {found.map(({ topic: { name, title, icon, about } }) => (
          <li key={name} class="card help-card">
            <Icon name={icon} />
            <h2>
              <a class="subtle" href={`/dashboard/help/${name}`}>
                {title}
              </a>
            </h2>
            <p class="muted">{about}</p>
          </li>
        ))}
      </ul>
      {found.length === 0 && (
        <Empty icon="search" title="No guide is found">
          <p>No guide has “{search.trim()}”.</p>
          <Button onClick={() => setSearch('')}>Show all guides</Button>
        </Empty>
      )}
      <p class="unseen" role="status">
        {words.length > 0 && `${counted(found.length, 'guide')} found`}
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
  const { title, picture, Text } = found;
  return (
    <View title={title}>
      <article class="guide stack">
        <Text />
        <img src={picture.href} alt={picture.alt} />
        <p>
          <a href="/dashboard/help">All guides</a>
        </p>
      </article>
    </View>
  );
}
