import type { JSX } from 'preact';
import { View } from '../ui/view.tsx';
import { TOPICS } from './help/topics.tsx';

/** Guides for people who use only the dashboard. */
const Help = (): JSX.Element => (
  <View title="Help">
    {TOPICS.map(({ title, Text }) => (
      <details key={title} class="card guide">
        <summary>{title}</summary>
        <div class="stack">
          <Text />
        </div>
      </details>
    ))}
  </View>
);

export default Help;
