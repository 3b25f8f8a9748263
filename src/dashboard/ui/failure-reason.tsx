import type { JSX } from 'preact';
import { failureOf } from '../../problems/delivery-failures.ts';
import { language, t } from '../texts/chosen-texts.ts';
import { Rich } from '../texts/rich.tsx';

/** The reason of a failed attempt. `sentence`: that of the service, in English. */
export function FailureReason({ sentence }: { sentence: string }): JSX.Element {
  const failure = language === 'en' ? null : failureOf(sentence);
  if (!failure) return <bdi lang="en">{sentence}</bdi>;
  const [value = ''] = Object.values(failure.values);
  return <Rich text={t.notifications.failures[failure.code]} with={{ value }} />;
}
