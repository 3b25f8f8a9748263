import { SIZES } from '../../sizes.ts';
import { PLACEHOLDER } from '../render-page.ts';
import type { Found, Problem } from './answer.ts';
import { assetsOf, faultOf } from './assets.ts';
import { problemsOfCaptcha } from './captcha.ts';
import { isVisible, shown } from './field-problems.ts';
import { type Page, problemsOfForm } from './form-problems.ts';
import { endOf, hasAttribute } from './html-tree.ts';
import { isGivenToScript, isJavaScript } from './scripts.ts';
import { sourceTextOf } from './texts.ts';

/*
 * Finds what is wrong with a page. Nothing is reported of one whose forms work.
 */

const MISSPELT_IN_SCRIPT = /(["'`])\s{0,9}(?:\{|%7B){2}\s{0,9}form[\s_\\-]{0,3}action\s{0,9}(?:\}|%7D){2}\s{0,9}\1/gi;
const POST_HERE = '<form method="post" action="{{FORM_ACTION}}">';

function* problemsOfPage({ html, parts, forms, scripts }: Page): Generator<Found> {
  if (forms.length === 0 && !parts.hasTemplateForm && !scripts.sendsForms && !scripts.hasOthers) {
    const message = parts.controls.some(({ element }) => isVisible(element))
      ? `The fields of the page are in no form: put ${POST_HERE} before them and </form> behind the button that sends them.`
      : `The page has no form: write ${POST_HERE}, fields with names, a button and </form>, to receive what visitors send.`;
    yield { code: 'no-form', severity: 'warning', message, at: 0 };
  }
  for (const script of parts.scripts) {
    if (!isJavaScript(script) || hasAttribute(script, 'src')) continue;
    for (const match of sourceTextOf(html, script).matchAll(MISSPELT_IN_SCRIPT)) {
      if (match[0].includes(PLACEHOLDER)) continue;
      const message = `Nothing replaces this text: write ${PLACEHOLDER} exactly so, in capital letters, with two braces on each side and no spaces.`;
      yield { code: 'placeholder-misspelt', severity: 'error', message, at: endOf(script) + match.index };
    }
  }
}

function* problemsOfAssets({ html, parts, address }: Page): Generator<Found> {
  for (const { url, at } of assetsOf(html, parts)) {
    const fault = faultOf(url, address);
    const name = shown(url);
    if (fault === 'missing' && address.isOfSite) {
      const message = `The site has no file ${name}: add it, or correct the address. Capital and small letters differ.`;
      yield { code: 'missing-file', severity: 'warning', message, at };
    } else if (fault === 'missing') {
      const message = `The page has no file ${name}: publish it with the page, as a site, or write an address that begins with https://.`;
      yield { code: 'relative-asset', severity: 'warning', message, at };
    }
    if (fault === 'insecure') {
      const message = `Browsers don't load ${name} on a page with https: write https:// instead of http://.`;
      yield { code: 'insecure-asset', severity: 'warning', message, at };
    }
  }
}

function* allProblems(page: Page): Generator<Found> {
  yield* problemsOfPage(page);
  for (const form of page.forms) yield* problemsOfForm(form, page);
  yield* problemsOfCaptcha(page.captcha, page, page.scripts);
  yield* problemsOfAssets(page);
}

/** The problems of a page in the order of the source, at most SIZES.check.maxProblemsPerCode of each code. */
export function problemsOf(of: Omit<Page, 'isAnyHere'>): Problem[] {
  const isAnyHere =
    of.scripts.sendsForms || of.forms.some(({ element, submitsHere }) => submitsHere || isGivenToScript(element));
  const page: Page = { ...of, isAnyHere };
  const found = new Map<string, Found>();
  const counts = new Map<Found['code'], number>();
  for (const problem of allProblems(page)) {
    const count = counts.get(problem.code) ?? 0;
    // A form of several ways can have a fault in each of them, at one place.
    const key = `${problem.code} ${problem.at} ${problem.message}`;
    if (count === SIZES.check.maxProblemsPerCode || found.has(key)) continue;
    counts.set(problem.code, count + 1);
    found.set(key, problem);
  }
  const sorted = [...found.values()].toSorted((one, other) => one.at - other.at);
  let [line, lineStart] = [1, 0];
  const lineEnd = /\r\n?|\n/g;
  let next = lineEnd.exec(page.html);
  return sorted.map(({ code, severity, message, at }) => {
    for (; next && lineEnd.lastIndex <= at; next = lineEnd.exec(page.html)) {
      line += 1;
      lineStart = lineEnd.lastIndex;
    }
    return { code, severity, message, line, column: at - lineStart + 1 };
  });
}
