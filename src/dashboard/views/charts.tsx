import type { JSX } from 'preact';
import { PageView } from '../ui/page-view.tsx';

const Charts = (): JSX.Element => <PageView title="Charts">{() => <p>This view is not built yet.</p>}</PageView>;

export default Charts;
