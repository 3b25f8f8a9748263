import type { Page } from 'playwright-core';

/** Switches the editor to the code. */
export async function openCode(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Code', exact: true }).click();
  await page.getByLabel('HTML', { exact: true }).waitFor();
}

/** Returns the text of the code editor, of which a browser shows a part. */
export async function typedCode(page: Page, label = 'HTML'): Promise<string> {
  const text = await page
    .getByLabel(label, { exact: true })
    .evaluate((content) => Reflect.get(content, 'cmTile')?.view.state.sliceDoc());
  return String(text);
}

/** Returns the selected part of the text. */
export async function selectedCode(page: Page): Promise<string> {
  const text = await page.getByLabel('HTML', { exact: true }).evaluate((content) => {
    const { state } = Reflect.get(content, 'cmTile').view;
    const { from, to } = state.selection.main;
    return state.sliceDoc(from, to);
  });
  return String(text);
}
