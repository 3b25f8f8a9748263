import type { JSX } from 'preact';
import { PageView } from '../ui/page-view.tsx';

const Notifications = (): JSX.Element => (
  <PageView title="Notifications">{() => <p>This view is not built yet.</p>}</PageView>
);

export default Notifications;
