import { expect, it } from 'vitest';
import { langOf } from '../../src/lib/languages.ts';
import { cpuMs, ms } from '../support/figures.ts';

it('the language of a page is found at once, whatever the page is made of', async () => {
  let most = { took: 0, html: '' };
  for (const piece of ['a ', '"', "'", 'a="', "a='", 'a=', '<!--', '<!', ' ', '/', '\0', 'lang', 'é']) {
    for (const start of ['', '<html ', '<!--', '<!-- --><html lang=']) {
      const html = Buffer.from(start + piece.repeat(1024 * 1024));
      const took = await cpuMs(() => langOf(html));
      if (took > most.took) most = { took, html: start + piece };
    }
  }
  console.log(`the language of a page: at most ${ms(most.took)}, of ${JSON.stringify(most.html)} and so on`);
  expect(most.took).toBeLessThan(100);
});
