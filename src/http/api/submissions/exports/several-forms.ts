import { severalNames } from '../../../../forms/match-form.ts';
import type { App } from '../../../app.ts';

/** Returns whether the page of a deployment has several forms: its tables then have a column for them, also while no submission is of one. */
export async function hasSeveralForms({ submissions, compute }: App, deploymentId: string): Promise<boolean> {
  const live = await submissions.forms.get(deploymentId);
  if (!live?.tellsFormsApart) return false;
  return severalNames(live.forms ?? (await compute.formsOf(deploymentId))).length > 0;
}
