import { render } from 'preact';
import { App } from './dashboard-app.tsx';
import { keepDeletions } from './deletions.ts';
import { prefetchPath, prefetchPointed } from './routes.tsx';
import { findSession } from './session.ts';

const root = document.getElementById('app');
root?.replaceChildren();
if (root) render(<App />, root);
void findSession();
keepDeletions();
// The script of the view comes while the service says who is signed in.
prefetchPath(location.pathname);
for (const event of ['pointerover', 'focusin']) addEventListener(event, prefetchPointed);
// A page that the browser has kept may be of a session that has ended meanwhile.
addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
