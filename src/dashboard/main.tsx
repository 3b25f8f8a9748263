import { render } from 'preact';
import { App } from './dashboard-app.tsx';
import { findSession } from './session.ts';

const root = document.getElementById('app');
if (root) render(<App />, root);
void findSession();
// A page that the browser has kept may be of a session that has ended meanwhile.
addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
