import type { JSX } from 'preact';
import { useLocation, useRoute } from 'preact-iso';
import { answer, api } from '../api.ts';
import { may } from '../permissions.ts';
import { fill, t } from '../texts/chosen-texts.ts';
import { ActionButton } from '../ui/action-button.tsx';
import { ReadOnly } from '../ui/read-only.tsx';
import { say } from '../ui/say.tsx';
import { View } from '../ui/view.tsx';

/** Gives a page that was published without a key to the owner who is signed in. Its address has the token. */
export default function ClaimPage(): JSX.Element {
  const { route } = useLocation();
  const { token = '' } = useRoute().params;
  async function claim(): Promise<void> {
    const { id, slug } = await answer(api.POST('/claims', { body: { token } }));
    say(fill(t.signIn.claim.claimed, { page: slug }));
    route(`/dashboard/pages/${id}`, true);
  }
  return (
    <View title={t.signIn.claim.title}>
      {may('POST /claims') ? (
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
