import type { JSX } from 'preact';
import { CopyButton } from './copy-button.tsx';
import { Snippet } from './snippet.tsx';

/** A form that sends to an address. */
export const formSnippet = (action: string): string => `<form method="post" action="${action}">
  <p><label>Name <input name="name" autocomplete="name" required></label></p>
  <p><label>E-mail <input name="email" type="email" autocomplete="email" required></label></p>
  <p><label>Message <textarea name="message" required></textarea></label></p>
  <!-- Leave it empty: whoever fills it in is a machine. -->
  <input name="_hp" hidden tabindex="-1" autocomplete="off">
  <button>Send</button>
</form>
`;

/** The address that a form on another site sends to, and an example of such a form. */
export function FormSnippet({ id }: { id: string }): JSX.Element {
  const action = `${location.origin}/submit/${id}`;
  return (
    <>
      <p class="muted">
        Whatever a form sends to <code>{action}</code> arrives here. Change the fields of this one as you like:
      </p>
      <Snippet text={formSnippet(action)}>
        <CopyButton kind="plain" text={action}>
          Copy the address
        </CopyButton>
      </Snippet>
    </>
  );
}
