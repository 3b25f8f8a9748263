import type { JSX } from 'preact';
import { useRoute } from 'preact-iso';
import { View } from '../ui/view.tsx';
import { TOPICS } from './help/topics.tsx';
import NotFound from './not-found-view.tsx';

const List = (): JSX.Element => (
  <View title="Help">
    <ul class="rows card">
      {TOPICS.map(({ name, title }) => (
        <li key={name} class="row">
          <a href={`/dashboard/help/${name}`}>{title}</a>
        </li>
      ))}
    </ul>
  </View>
);

/** Guides for people who use only the dashboard: their list, or one of them. */
export default function Help(): JSX.Element {
  const { topic } = useRoute().params;
  if (topic === undefined) return <List />;
  const found = TOPICS.find(({ name }) => name === topic);
  if (!found) return <NotFound />;
  const { title, picture, alt, Text } = found;
  return (
    <View title={title}>
      <article class="guide stack">
        <Text />
        <img src={picture.href} alt={alt} />
        <p>
          <a href="/dashboard/help">All guides</a>
        </p>
      </article>
    </View>
  );
}
