import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { VIEW_PATHS } from '../../lib/dashboard-paths.ts';
import { ApiError, answer, api } from '../api.ts';
import { may } from '../permissions.ts';
import { fill, t } from '../texts/chosen-texts.ts';
import { Rich } from '../texts/rich.tsx';
import { ActionButton } from '../ui/action-button.tsx';
import { Notice } from '../ui/notice.tsx';
import { ReadOnly } from '../ui/read-only.tsx';
import { say } from '../ui/say.tsx';
import { focusHeading, View } from '../ui/view.tsx';

/**
 * Gives a page that was published without a key to the owner who is signed in. Its address has the token. Nobody knows before the try
 * whether the token works: the view says nothing of the page itself.
 */
export default function ClaimPage(): JSX.Element {
  const { route } = useLocation();
  const { token = '' } = useRoute().params;
  const [isOver, setOver] = useState(false);
  async function claim(): Promise<void> {
    try {
      const { id, slug } = await answer(api.POST('/claims', { body: { token } }));
      say(fill(t.signIn.claim.claimed, { page: slug }));
      route(`/dashboard/pages/${id}`, true);
    } catch (error) {
      if (!(error instanceof ApiError && error.problem?.code === 'no-such-claim')) throw error;
      setOver(true);
      focusHeading();
    }
  }
  return (
    <View title={t.signIn.claim.title}>
      {isOver ? (
        <div role="alert">
          <Notice isProblem>
            <p>
              <Rich text={t.signIn.claim.over} with={{ a: (pages) => <a href={VIEW_PATHS.pages}>{pages}</a> }} />
            </p>
          </Notice>
        </div>
      ) : may('POST /claims') ? (
        <div class="stack">
          <p>{t.signIn.claim.text}</p>
          <p class="hint">{t.signIn.claim.hint}</p>
          <div>
            <ActionButton needs="POST /claims" kind="main" isGuarded run={claim}>
              {t.signIn.claim.button}
            </ActionButton>
          </div>
        </div>
      ) : (
        <ReadOnly />
      )}
    </View>
  );
}
