import jsTokens, { type JSXToken, type Token } from 'js-tokens';
import { SIZES } from '../../sizes.ts';
import { PLACEHOLDER } from '../render-page.ts';
import { FORMSPREE_ORIGIN, NAMES_SERVICE, serviceOf } from './form-services.ts';

/*
 * Reads the tokens of a script: addresses in its texts count, and those in its comments do not. Which text is sent where is told
 * by what is before it, since no script runs here.
 */

/** A text of a script: a placeholder that nothing replaces, or the address of a service that the script sends to. */
export type TextFinding = { at: number } & ({ isMisspelt: true } | { isMisspelt: false; service: string; url: string });

/** Characters of a text that are compared with addresses. */
const MAX_URL_CHARS = 2_048;
/** Tokens before a text that say what it is for. */
const TOKENS_BEFORE = 4;
/** Addresses of services that are followed in one script. */
const MAX_CANDIDATES = 100;

/**
 * The use of a text: a form or a request is sent to it, or it is only shown, compared or linked to. 'value': it can be any
 * use.
 */
type Usage = 'sends' | 'requests' | 'links' | 'value';

/** The last tokens before a text, the last one first, without white space and comments. */
type Before = readonly string[];

const REQUESTS = new Set('fetch $fetch XMLHttpRequest sendBeacon axios ajax ky superagent'.split(' '));
const SENDING =
  /^(?:\$?fetch|sendBeacon|axios|ajax|ky|superagent|post|put|patch|request|Request|postJSON|getJSON|formbutton)$/;
const NOT_SENDING =
  /^(?:log|info|warn|error|debug|alert|confirm|prompt|open|assign|write|includes|startsWith|endsWith|indexOf|search|match|test|\w*Error)$/;
const ADDRESS_NAME = /^["'`]?(?:form)?action["'`]?$/i;
const LINK_NAME =
  /^["'`]?(?:xlink:)?(?:href|src|link|location|homepage|docs?|help|title|alt|content|text|label)["'`]?$/i;
const COMPARISON = /^(?:[=!]==?|case)$/;

function usageOf([last = '', second = '', third = '', fourth = '']: Before): Usage {
  const byName = (): Usage => {
    if (ADDRESS_NAME.test(second)) return 'sends';
    return LINK_NAME.test(second) ? 'links' : 'value';
  };
  if (COMPARISON.test(last)) return 'links';
  if (last === ':' || last === '=') return byName();
  if (last === ',' && third === '(') return fourth === 'open' && /^.(?:POST|PUT)/i.test(second) ? 'sends' : byName();
  if (last !== '(') return 'value';
  if (SENDING.test(second)) return 'requests';
  return NOT_SENDING.test(second) ? 'links' : 'value';
}

/** The name that a text is given: of a variable or a property. */
const nameGiven = ([last, name = '', third]: Before): string | undefined =>
  (last === ':' || (last === '=' && third !== '.')) && /^[\w$]+$/.test(name) ? name : undefined;

const ESCAPE = /\\(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|x([0-9a-f]{2})|(\r\n|[\s\S]))/gi;

/** Returns the text that a literal stands for, without its quotes. */
function meaningOf(literal: string): string {
  const inside = literal.replace(/^["'`}]/, '').replace(/(?:["'`]|\$\{)$/, '');
  return inside.replaceAll(ESCAPE, (_, braced?: string, four?: string, two?: string, other = '') => {
    const code = Number.parseInt(braced ?? four ?? two ?? '', 16);
    if (code <= 0x10ffff) return String.fromCodePoint(code);
    return /[\r\n]/.test(other) ? '' : other;
  });
}

const MISSPELT = /^\s{0,9}(?:\{|%7B){2}\s{0,9}form[\s_\\-]{0,3}action\s{0,9}(?:\}|%7D){2}\s{0,9}(?:$|[?#&/])/i;
/** Matches the misspelt placeholder where it is the address of a form in HTML. */
const MISSPELT_IN_TAG =
  /\baction\s{0,9}=\s{0,9}["']?\s{0,9}(?:\{|%7B){2}\s{0,9}form[\s_\\-]{0,3}action\s{0,9}(?:\}|%7D){2}/i;
const FORM_TAG = /<form\s[^>]{0,500}?\baction\s{0,9}=\s{0,9}["']?\s{0,9}([^\s"'<>]{1,300})/gi;

const isMisspelt = (literal: string, value: string): boolean =>
  !literal.includes(PLACEHOLDER) &&
  (value.includes(PLACEHOLDER) || MISSPELT.test(value.slice(0, MAX_URL_CHARS)) || MISSPELT_IN_TAG.test(value));

const LITERALS = new Set([
  'StringLiteral',
  'NoSubstitutionTemplate',
  'TemplateHead',
  'TemplateMiddle',
  'TemplateTail',
  'JSXString',
]);
const SKIPPED = new Set([
  'WhiteSpace',
  'LineTerminatorSequence',
  'MultiLineComment',
  'SingleLineComment',
  'HashbangComment',
]);

type PlacedToken = { token: Token | JSXToken; at: number; before: Before };

function* tokensOf(text: string, isJsx: boolean): Generator<PlacedToken> {
  let at = 0;
  let before: Before = [];
  for (const token of isJsx ? jsTokens(text, { jsx: true }) : jsTokens(text)) {
    if (!SKIPPED.has(token.type)) {
      yield { token, at, before };
      before = [token.value.slice(0, MAX_URL_CHARS), ...before.slice(0, TOKENS_BEFORE - 1)];
    }
    at += token.value.length;
  }
}

type Candidate = { at: number; url: string; service: string; usage: Usage; name: string | undefined };

/** The service of a literal that is an address, or begins with one and goes on. */
function serviceOfLiteral(value: string, continues: boolean): string | undefined {
  // An address that is put together may be that of a person.
  const address = value.slice(0, MAX_URL_CHARS) + (continues ? '@' : '');
  return serviceOf(address);
}

/** Reads a script once, and once more where names of addresses have to be followed. */
class ScriptReader {
  readonly #text: string;
  readonly #isJsx: boolean;
  readonly #candidates: Candidate[] = [];
  /** True if the script may send something, and not only read it. */
  readonly #posts: boolean;
  #requests = false;
  #hasFormPath = false;

  constructor(text: string, isJsx: boolean) {
    this.#text = text;
    this.#isJsx = isJsx;
    this.#posts = /post|FormData|sendBeacon/i.test(text);
  }

  *read(): Generator<TextFinding> {
    let pending: { value: string; placed: PlacedToken } | undefined;
    for (const placed of tokensOf(this.#text, this.#isJsx)) {
      const { token, at, before } = placed;
      if (pending) this.#readAddress(pending.value, pending.placed, token.value === '+');
      pending = undefined;
      if (token.type === 'IdentifierName') {
        this.#requests ||= REQUESTS.has(token.value) || (token.value === 'post' && before[0] === '.');
        if (/^send(?:Form)?$/.test(token.value) && before[0] === '.' && before[1] === 'emailjs') {
          this.#add({ at, url: `emailjs.${token.value}`, service: 'EmailJS', usage: 'sends', name: undefined });
        }
      }
      if (!LITERALS.has(token.type)) continue;
      const value = meaningOf(token.value);
      if (isMisspelt(token.value, value)) yield { isMisspelt: true, at };
      this.#readTags(value, at);
      this.#hasFormPath ||= /^(?:\/[^/]{0,99})?\/f\/$/.test(value.slice(0, 200));
      pending = { value, placed };
    }
    if (pending) this.#readAddress(pending.value, pending.placed, false);
    for (const { at, url, service } of this.#sending()) yield { isMisspelt: false, at, url, service };
  }

  #add(candidate: Candidate): void {
    if (this.#candidates.length < MAX_CANDIDATES) this.#candidates.push(candidate);
  }

  /** Reads a literal that may be an address; `isJoined`: to what follows. */
  #readAddress(value: string, { token, at, before }: PlacedToken, isJoined: boolean): void {
    if (token.type === 'TemplateMiddle' || token.type === 'TemplateTail') return;
    const isLibrary = FORMSPREE_ORIGIN.test(value);
    const service = isLibrary ? 'Formspree' : serviceOfLiteral(value, isJoined || token.type === 'TemplateHead');
    if (service === undefined) return;
    const usage = usageOf(before);
    if (usage === 'links' || (isLibrary && usage !== 'value')) return;
    this.#add({ at, url: value, service, usage, name: nameGiven(before) });
  }

  /** Reads the forms in a literal of HTML. */
  #readTags(html: string, at: number): void {
    for (const [, url = ''] of html.matchAll(FORM_TAG)) {
      const service = serviceOf(url);
      if (service !== undefined) this.#add({ at, url, service, usage: 'sends', name: undefined });
    }
  }

  *#sending(): Generator<Candidate> {
    const names = new Set(this.#candidates.flatMap(({ name, usage }) => (usage === 'value' && name ? [name] : [])));
    const uses = names.size > 0 ? this.#usesOf(names) : new Map<string, Set<Usage>>();
    for (const candidate of this.#candidates) {
      const { usage, name, url } = candidate;
      const used = name === undefined ? undefined : uses.get(name);
      const isOnlyLinked = used?.size === 1 && used.has('links');
      const isRequested = usage === 'requests' || (this.#requests && !isOnlyLinked);
      const isSent = usage === 'sends' || used?.has('sends') || (this.#posts && isRequested);
      if (isSent && (!FORMSPREE_ORIGIN.test(url) || this.#hasFormPath)) yield candidate;
    }
  }

  /** Returns the uses of the names of addresses, apart from where the names are defined. */
  #usesOf(names: ReadonlySet<string>): Map<string, Set<Usage>> {
    const uses = new Map<string, Set<Usage>>();
    let last: { name: string; before: Before } | undefined;
    for (const { token, before } of tokensOf(this.#text, this.#isJsx)) {
      if (last && token.value !== '=' && token.value !== ':') {
        const around = last.before[0] === '.' ? last.before.slice(2) : last.before;
        uses.set(last.name, (uses.get(last.name) ?? new Set()).add(usageOf(around)));
      }
      const isUse = token.type === 'IdentifierName' && names.has(token.value);
      last = isUse ? { name: token.value, before } : undefined;
    }
    return uses;
  }
}

const MAY_BE_MISSPELT = /(?:\{|%7B|\\u0{0,2}7b|\\u\{0*7b\}|\\x7b)\s{0,9}form[\s_\\-]{0,3}action/gi;

/** Returns whether a script may have something to find. Only then its tokens are read. */
function isWorthReading(text: string): boolean {
  if (NAMES_SERVICE.test(text)) return true;
  for (const { 0: found, index } of text.matchAll(MAY_BE_MISSPELT)) {
    const isRight = found === '{FORM_ACTION' && text.startsWith(PLACEHOLDER, index - 1);
    if (!isRight) return true;
  }
  return false;
}

/** Finds what is wrong with the texts of a script, at most SIZES.check.maxProblemsPerCode of each kind. */
export function* findingsOf(text: string, isJsx: boolean): Generator<TextFinding> {
  if (!isWorthReading(text)) return;
  const left = { misspelt: SIZES.check.maxProblemsPerCode, elsewhere: SIZES.check.maxProblemsPerCode };
  for (const finding of new ScriptReader(text, isJsx).read()) {
    const kind = finding.isMisspelt ? 'misspelt' : 'elsewhere';
    left[kind] -= 1;
    if (left[kind] >= 0) yield finding;
  }
}
