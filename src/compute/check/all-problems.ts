import type { Found, Problem } from './answer.ts';
import { assetsOf, faultOf } from './assets.ts';
import { problemsOfCaptcha } from './captcha.ts';
import { problemsOfCharset } from './charsets.ts';
import { isVisible, shown } from './field-problems.ts';
import { type Page, problemsOfForm } from './form-problems.ts';
import { toProblems } from './places.ts';
import { problemsOfScriptPolicy } from './policy-problems.ts';
import { problemsOfScripts } from './script-problems.ts';
import { isGivenToScript } from './scripts.ts';

/*
 * Finds what is wrong with a page. Nothing is reported of one whose forms work.
 */

const POST_HERE = '<form method="post" action="{{FORM_ACTION}}">';

function* problemsOfPage({ parts, forms, scripts }: Page): Generator<Found> {
  if (forms.length === 0 && !parts.hasTemplateForm && !scripts.sendsForms && !scripts.hasOthers) {
    const message = parts.controls.some(({ element }) => isVisible(element))
      ? `The fields of the page are in no form: put ${POST_HERE} before them and </form> behind the button that sends them.`
      : `The page has no form: write ${POST_HERE}, fields with names, a button and </form>, to receive what visitors send.`;
    yield { code: 'no-form', severity: 'warning', message, at: 0 };
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
  const { bytes, html, parts, scripts, address } = page;
  yield* problemsOfPage(page);
  yield* problemsOfCharset(bytes, html, parts.metas);
  yield* problemsOfScripts(html, parts, { hasAddress: scripts.hasAddress, foreign: address.foreignAddress });
  yield* problemsOfScriptPolicy(page);
  for (const form of page.forms) yield* problemsOfForm(form, page);
  yield* problemsOfCaptcha(page.captcha, page, scripts);
  yield* problemsOfAssets(page);
}

/** The problems of a page in the order of the source, at most SIZES.check.maxProblemsPerCode of each code. */
export function problemsOf(of: Omit<Page, 'isAnyHere'>): Problem[] {
  const isAnyHere =
    of.scripts.sendsForms || of.forms.some(({ element, submitsHere }) => submitsHere || isGivenToScript(element));
  return toProblems(allProblems({ ...of, isAnyHere }), of.html);
}
