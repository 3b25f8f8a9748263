import type { JSX } from 'preact';
import type { Schemas } from '../../client/client.ts';
import { language, t } from '../texts/chosen-texts.ts';
import { Rich } from '../texts/rich.tsx';

/** The reason of a failed attempt. `sentence`: that of the service, in English. */
export const FailureReason = ({
  sentence,
  failure,
}: {
  sentence: string;
  failure: Schemas['DeliveryFailure'] | null;
}): JSX.Element =>
  language === 'en' || failure === null ? (
    <bdi lang="en">{sentence}</bdi>
  ) : (
    <Rich text={t.notifications.failures[failure.code]} with={{ value: failure.value ?? '' }} />
  );
