import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { z } from 'zod';

const Findings = z.object({
  violations: z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) })),
});

/** The faults that axe finds in a page: the rule, and the HTML of each element. */
export async function accessibilityProblems(page: Page): Promise<{ rule: string; nodes: string[] }[]> {
  // A view of a page that is loaded has it already.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  // Only violations are looked at in detail. What a page loads is in its document already.
  const { violations } = Findings.parse(
    await page.evaluate(`axe.run({ resultTypes: ['violations'], preload: false })`),
  );
  return violations.map(({ id: rule, nodes }) => ({ rule, nodes: nodes.map(({ html }) => html) }));
}
