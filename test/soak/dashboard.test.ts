import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../support/chromium.ts';
import { type DashboardUnderTest, expectAccessible, PHONE, startDashboard } from '../support/dashboard-in-browser.ts';
import { median, ms } from '../support/figures.ts';
import {
  fillInbox,
  focusedText,
  followSearches,
  MAX_ROWS,
  names,
  newInbox,
  numberOf,
  ROW_HEIGHT,
  row,
  rows,
  search,
} from '../support/inbox-in-browser.ts';

/* The dashboard with very long lists, and how quick it is. */

const HTML =
  '<!doctype html><html lang="en"><title>Ask us</title><form action="{{FORM_ACTION}}" method="post"><label>Your name <input name="name"></label><button>Send</button></form></html>';

const MANY = 100_000;
/** Their rows are higher than a browser can scroll over. */
const HIGH = 300_000;
/** A row comes after seconds where so many are searched. */
const PATIENCE_MS = 60_000;
/** So that a search over HIGH takes several seconds. */
const LARGE_CHARS = 2_100;

describe.skipIf(!hasChromium())('the dashboard', () => {
  let dashboard: DashboardUnderTest;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.close());

  it('scrolls through 100,000 submissions', async () => {
    const { owner, path, id } = await newInbox(dashboard, HTML);
    await fillInbox(dashboard, id, { count: MANY });
    const page = await dashboard.open(owner, path);
    await row(page, `Visitor ${MANY}`).first().waitFor();
    await page.getByText('100,000 submissions').waitFor();
    const frames = await page.evaluate<number[]>(`(async () => {
      const element = document.querySelector('.inbox-scroll');
      const frames = [];
      let before = performance.now();
      for (let frame = 0; frame < 60; frame += 1) {
        element.scrollTop += 400;
        await new Promise(requestAnimationFrame);
        frames.push(performance.now() - before);
        before = performance.now();
      }
      return frames;
    })()`);
    console.log(`60 frames that scroll by 400 px: median ${ms(median(frames))}, longest ${ms(Math.max(...frames))}`);
    await row(page, `Visitor ${MANY - Math.floor((60 * 400) / ROW_HEIGHT)}`).waitFor();
  });

  it('can be used after few requests, on a processor that is four times slower too', async () => {
    const owner = await dashboard.owner();
    await owner.deploy({ html: '<title>Quick</title>' });
    const page = await dashboard.open(owner, '/dashboard');
    const browser = await page.context().newCDPSession(page);
    await browser.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    const times: number[] = [];
    for (let tries = 0; tries < 5; tries += 1) {
      await page.reload();
      await page.getByRole('link', { name: 'Quick', exact: true }).waitFor();
      times.push(Number(await page.evaluate('performance.now()')));
    }
    console.log(`Usable with a quarter of this processor, the quickest of 5: ${ms(Math.min(...times))}`);
  });

  it('reaches every row of 300,000, which are higher than a browser can scroll over', async () => {
    const { owner, path, id, send } = await newInbox(dashboard, HTML);
    await fillInbox(dashboard, id, { count: HIGH });
    const page = await dashboard.open(owner, path);
    page.setDefaultTimeout(PATIENCE_MS);
    const { keyboard, mouse } = page;
    await page.getByText('300,000 submissions').waitFor();
    const scroll = (position: string): Promise<unknown> =>
      page.evaluate(`{ const list = document.querySelector('.inbox-scroll'); list.scrollTop = ${position}; }`);
    /** The rows that can be seen, from above: one name, or empty while it is read, for each place. */
    const seen = async (): Promise<string[]> => {
      expect(await page.getByRole('row').count()).toBeLessThan(MAX_ROWS);
      return page.evaluate<string[]>(`(() => {
        const { top, bottom } = document.querySelector('.inbox-scroll').getBoundingClientRect();
        const head = document.querySelector('.inbox-head').getBoundingClientRect().height;
        return [...document.querySelectorAll('.inbox-body .inbox-row')]
          .map((row) => ({ name: row.querySelector('a .line')?.innerText ?? '', at: row.getBoundingClientRect() }))
          .filter(({ at }) => at.top >= top + head - 1 && at.bottom <= bottom + 1)
          .toSorted((one, other) => one.at.top - other.at.top)
          .map(({ name }) => name);
      })()`);
    };
    const newestSeen = async (): Promise<number> => numberOf((await seen())[0] ?? '');
    const expectFocus = (number: number): Promise<void> =>
      expect.poll(() => focusedText(page)).toBe(`Unread:\nVisitor ${number}`);

    await row(page, `Visitor ${HIGH}`).getByRole('link').focus();
    await keyboard.press('End');
    await expectFocus(1);
    expect((await seen()).at(-1)).toBe('Visitor 1');
    await keyboard.press('k');
    await expectFocus(2);
    await keyboard.press('j');
    await keyboard.press('j');
    await expectFocus(1);
    await keyboard.press('Home');
    await expectFocus(HIGH);
    expect((await seen())[0]).toBe(`Visitor ${HIGH}`);
    // The row that has the focus leaves the document: the keys go on with the list.
    const pageDown = async (): Promise<number> => {
      await keyboard.press('PageDown');
      return newestSeen();
    };
    await expect.poll(pageDown).toBeLessThan(HIGH - 50);
    await keyboard.press('End');
    await expectFocus(1);

    // Where a pixel of the scroll bar begins and ends to be more than one of the list, and between.
    for (const position of ['1_000_000 - 400', 'list.scrollHeight / 2', 'list.scrollHeight - 1_000_400']) {
      const before = await newestSeen();
      await scroll(position);
      // Between a scroll and the next picture no row may be where one looks.
      let shown: number[] = [];
      await expect
        .poll(async () => {
          const names = await seen();
          shown = names.map(numberOf);
          return names.length > 0 && !names.includes('') && Math.abs((shown[0] ?? before) - before) > 1_000;
        })
        .toBe(true);
      expect(shown).toEqual(Array.from(shown, (_, index) => (shown[0] ?? 0) - index));
      await page.locator('.inbox-scroll').hover();
      const [start = 0] = shown;
      for (let turns = 1; turns <= 6; turns += 1) {
        await mouse.wheel(0, 10 * ROW_HEIGHT);
        await expect.poll(newestSeen).toBe(start - 10 * turns);
      }
      for (let turns = 5; turns >= 0; turns -= 1) {
        await mouse.wheel(0, -10 * ROW_HEIGHT);
        await expect.poll(newestSeen).toBe(start - 10 * turns);
      }
      await row(page, `Visitor ${start}`).getByRole('link').focus();
      for (let number = start - 1; number >= start - 30; number -= 1) {
        await keyboard.press('j');
        await expectFocus(number);
        expect(await seen()).toContain(`Visitor ${number}`);
      }
      for (let number = start - 29; number <= start; number += 1) {
        await keyboard.press('k');
        await expectFocus(number);
        expect(await seen()).toContain(`Visitor ${number}`);
      }
    }

    // What comes in moves nothing that is looked at.
    const before = await seen();
    await send({ name: 'Visitor 300001' });
    await page.getByText('300,001 submissions').waitFor();
    expect(await seen()).toEqual(before);
    await scroll('0');
    await expect.poll(async () => (await seen()).slice(0, 2)).toEqual(['Visitor 300001', 'Visitor 300000']);

    const phone = await dashboard.open(owner, path, PHONE);
    await row(phone, 'Visitor 300001').waitFor();
    await phone.locator('.inbox-scroll').evaluate((element) => {
      element.scrollTop = element.scrollHeight;
    });
    await expect.poll(async () => (await names(phone)).at(-1)).toBe('Visitor 1');
    expect(await rows(phone).count()).toBeLessThan(MAX_ROWS);
  });

  it('searches 300,000 submissions: it shows how far it has come, stops, goes on, and finds the one', async () => {
    const { owner, path, id } = await newInbox(dashboard, HTML);
    await fillInbox(dashboard, id, { count: HIGH, chars: LARGE_CHARS });
    const page = await dashboard.open(owner, path);
    page.setDefaultTimeout(PATIENCE_MS);
    await page.getByText('300,000 submissions').waitFor();
    const searches = followSearches(page);
    await search(page).fill('visitor 123456');
    const status = page.getByText(/^[\d,]+ found, [\d,]+ of 300,000 searched$/);
    await status.waitFor();
    expect(await page.getByRole('progressbar', { name: 'Searched' }).count()).toBe(1);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Search on' }).waitFor();
    await expect.poll(() => searches.open.size).toBe(0);
    const { count } = searches;
    await expectAccessible(page);
    expect(searches.count).toBe(count);
    await status.waitFor();
    await page.getByRole('button', { name: 'Search on' }).click();
    await page.getByText(/^1 found$/).waitFor();
    expect(await names(page)).toEqual(['Visitor 123456']);

    // Another search ends the one before.
    await search(page).fill('nobody');
    await status.waitFor();
    await search(page).fill('visitor 299999');
    await expect.poll(() => names(page)).toEqual(['Visitor 299999']);
    await page.getByText(/^1 found$/).waitFor();
    await search(page).fill('');
    await row(page, 'Visitor 300000').waitFor();
    await page.getByText('300,000 submissions').waitFor();
  });
});
