import { describe, expect, it } from 'vitest';
import { checkPage } from '../../src/compute/check/check-page.ts';
import { langOf } from '../../src/lib/languages.ts';
import { cpuMs, ms } from '../support/figures.ts';

/* How long the form check takes for pages that are made to take long. */

const inputOf = (html: string) => ({
  html: Buffer.from(html),
  addresses: { baseUrl: 'https://forms.test', pagesDomain: 'pages.test', page: undefined },
  maxFields: 50,
});

describe('the check of any page', () => {
  it.each([
    ['deep nesting', (n: number) => '<b>'.repeat(n)],
    ['deep nesting of forms’ parts', (n: number) => '<fieldset disabled><legend><label><div>'.repeat(n / 10)],
    ['fields with labels', (n: number) => '<label for=a><input name=a aria-labelledby="a b c">'.repeat(n / 10)],
    ['nested labels', (n: number) => '<label>x<input name=a>'.repeat(n / 5)],
    ['many forms', (n: number) => '<form><input><button></form>'.repeat(n / 8)],
    ['styles without an end', (n: number) => `<style>${'url("'.repeat(n)}`],
    ['sets of images', (n: number) => `<img srcset="${'a 1x,'.repeat(n)}">`],
    ['scripts without an end', (n: number) => `<script>${'"{{ form'.repeat(n / 2)}`],
    ['tables that are nested wrongly', (n: number) => `<table>${'x<b>'.repeat(n)}`],
    [
      'buttons with addresses',
      (n: number) => `<form title="${'x'.repeat(n)}">${'<button formaction=//a></button>'.repeat(n / 20)}</form>`,
    ],
    ['comments', (n: number) => `<!-- --><html lang=${'<!--'.repeat(n / 4)}`],
    ['long addresses', (n: number) => `<form action="${'//é'.repeat(n)}"><img src="http:${'é'.repeat(n)}">`],
  ])('takes time that rises with its length: %s', async (what, make) => {
    const time = (html: string): Promise<number> => cpuMs(() => [checkPage(inputOf(html)), langOf(Buffer.from(html))]);
    const [small, large] = [make(40_000), make(160_000)];
    await time(small);
    const [before, after] = [await time(small), await time(large)];
    console.log(`${what}: ${ms(before)} of the processor, and ${ms(after)} for a page four times as long`);
    // Twice what linear time would be, and what garbage collection takes.
    expect(after).toBeLessThan(8 * before + 500);
  });
});
