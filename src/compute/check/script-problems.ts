import { endOf, hasAttribute, startOf } from '../../forms/html-tree.ts';
import { sourceTextOf } from '../../forms/page-texts.ts';
import { PLACEHOLDER } from '../render-page.ts';
import { AddressReader } from './addresses.ts';
import type { CheckedScript, Found, ScriptInput } from './answer.ts';
import { shown } from './field-problems.ts';
import { toProblems } from './places.ts';
import type { PageParts } from './read-page.ts';
import { findingsOf } from './script-text.ts';
import { factsOf, isJavaScript, isJsx } from './scripts.ts';

/*
 * Finds what is wrong with the addresses in scripts, of a page and of the files of a site.
 */

/** The services whose answers their scripts get at /f/. */
const ANSWERED: ReadonlySet<string> = new Set(['Formspree', 'FormSubmit', 'Getform', 'Basin', 'Web3Forms']);

/** `hasAddress`: whether a script sends to this service as well. `foreign`: the address for forms made for other services. */
type Where = { hasAddress: boolean; foreign: string };

function* problemsIn(text: string, { hasAddress, foreign }: Where, isJsxText: boolean): Generator<Found> {
  for (const finding of findingsOf(text, isJsxText)) {
    const { at } = finding;
    if (finding.isMisspelt) {
      const message = `Nothing replaces this text: write ${PLACEHOLDER} exactly so, in capital letters, with two braces on each side, no spaces and no escapes.`;
      yield { code: 'placeholder-misspelt', severity: 'error', message, at };
    } else {
      const { service, url } = finding;
      const other = ANSWERED.has(service) ? ` Where it reads the answer of ${service}, write ${foreign} instead.` : '';
      const message = `The script sends to ${service} (${shown(url)}), and not to this service: write ${PLACEHOLDER} as its address, and send the fields of the form with POST.${other}`;
      yield { code: 'script-goes-elsewhere', severity: hasAddress ? 'warning' : 'error', message, at };
    }
  }
}

/** Finds what is wrong with the scripts of a page, those in attributes included. */
export function* problemsOfScripts(html: string, { scripts, elements }: PageParts, where: Where): Generator<Found> {
  for (const script of scripts) {
    if (!isJavaScript(script) || hasAttribute(script, 'src')) continue;
    const start = endOf(script);
    for (const found of problemsIn(sourceTextOf(html, script), where, isJsx(script))) {
      yield { ...found, at: start + found.at };
    }
  }
  for (const element of elements) {
    for (const { name, value } of element.attrs) {
      if (!name.startsWith('on')) continue;
      for (const found of problemsIn(value, where, false)) yield { ...found, at: startOf(element) };
    }
  }
}

/** Checks a script that is a file of a site. */
export function checkScript({ text: bytes, addresses }: ScriptInput): CheckedScript {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const { submitAddress, foreignAddress: foreign } = new AddressReader(addresses, undefined);
  const facts = factsOf(text, submitAddress);
  return { facts, problems: toProblems(problemsIn(text, { hasAddress: facts.hasAddress, foreign }, false), text) };
}
