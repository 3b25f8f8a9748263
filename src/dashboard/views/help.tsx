import type { JSX } from 'preact';
import { View } from '../ui/view.tsx';
import { TOPICS } from './help/topics.tsx';

/** Guides for people who use only the dashboard. */
const Help = (): JSX.Element => (
  <View title="Help">
    {TOPICS.map(({ title, picture, alt, Text }) => (
      <details key={title} class="card guide">
        <summary>{title}</summary>
        <div class="stack">
          <Text />
          <img src={picture.href} alt={alt} loading="lazy" />
        </div>
      </details>
    ))}
  </View>
);

export default Help;
