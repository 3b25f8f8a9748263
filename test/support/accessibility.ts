import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { z } from 'zod';

const Findings = z.object({
  violations: z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) })),
});

/** What axe finds wrong with a page, by all of its rules or by one: the rule, and the HTML of each element. */
export async function accessibilityProblems(page: Page, only?: string): Promise<{ rule: string; nodes: string[] }[]> {
  // A view of a page that is loaded has it already.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  // Only violations are looked at in detail. What a page loads is in its document already.
  const options = { resultTypes: ['violations'], preload: false, ...(only !== undefined && { runOnly: [only] }) };
  const { violations } = Findings.parse(await page.evaluate(`axe.run(${JSON.stringify(options)})`));
  return violations.map(({ id: rule, nodes }) => ({ rule, nodes: nodes.map(({ html }) => html) }));
}
