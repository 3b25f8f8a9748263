import type { FrameLocator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** The page in the frame in which its texts are edited, once it is shown. */
export async function editedPage(page: Page): Promise<FrameLocator> {
  const frame = page.frameLocator('.page-frame');
  await frame.locator('[data-formhost-place]').first().waitFor();
  return frame;
}

/** Clicks a text, and puts the cursor at its end. */
export async function beginAtEnd(page: Page, frame: FrameLocator, text: string): Promise<void> {
  await frame.getByText(text, { exact: true }).click();
  await expect.poll(() => frame.locator('[contenteditable]').textContent()).toContain(text);
  await page.keyboard.press('Control+End');
}
