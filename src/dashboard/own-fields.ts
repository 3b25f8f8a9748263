import type { Schemas } from '../client/client.ts';

/** The fields of the first form of a page that is sent here. */
export const ownFields = ({ forms }: Schemas['CheckedPage']): readonly Schemas['FormField'][] =>
  forms.find(({ submits_here: isHere }) => isHere)?.fields ?? [];
