/*
 * The services that receive forms for pages on other hosts, by the addresses that their forms are sent to. Their other pages, such
 * as those about them, are no such addresses.
 */

/** The name of a service, and the beginnings of its addresses without the scheme, as sources of regular expressions. */
const SERVICES: readonly (readonly [name: string, address: string])[] = [
  ['Formspree', String.raw`formspree\.(?:io|com)/(?:f/|p/|forms/|[^/\s]*@)`],
  ['FormSubmit', String.raw`formsubmit\.(?:co|io)/(?:ajax/|send/|el/|[0-9a-f]{32}|[^/\s]*@)`],
  ['Getform', String.raw`(?:getform\.(?:io|com)|forminit\.com)/f/`],
  ['Basin', String.raw`usebasin\.com/f/`],
  ['Web3Forms', String.raw`api\.web3forms\.com/(?:v1/)?submit`],
  ['Netlify', String.raw`(?:api\.netlify\.com|[^/\s]+\.netlify\.app/\.netlify/functions)/`],
  ['Formcarry', String.raw`formcarry\.com/s/`],
  ['Google Forms', String.raw`docs\.google\.com/forms/\S{0,300}/formResponse`],
  ['Google Apps Script', String.raw`script\.google\.com/macros/`],
  ['FormBold', String.raw`formbold\.com/s/`],
  ['HeroTofu', String.raw`public\.herotofu\.com/v1/`],
  ['Formspark', String.raw`submit-form\.com/`],
  ['Static Forms', String.raw`(?:api\.)?staticforms\.(?:xyz|dev)/(?:submit|api)`],
  ['FormKeep', String.raw`formkeep\.com/f/`],
  ['Formcake', String.raw`api\.formcake\.com/`],
  ['FabForm', String.raw`fabform\.io/f/`],
  ['Un-static', String.raw`forms\.un-static\.com/forms/`],
  ['Kwes', String.raw`kwes(?:forms\.com/api|\.io/api)/`],
  ['Pageclip', String.raw`send\.pageclip\.co/`],
  ['Sheet Monkey', String.raw`api\.sheetmonkey\.io/form/`],
  ['SheetDB', String.raw`sheetdb\.io/api/`],
  ['Slapform', String.raw`api\.slapform\.com/`],
  ['Formester', String.raw`(?:app\.)?formester\.com/forms/`],
  ['Formbackend', String.raw`formbackend\.com/f/`],
  ['SplitForms', String.raw`splitforms\.com/api/`],
  ['Jotform', String.raw`submit\.jotform\.com/`],
  ['HubSpot', String.raw`(?:api|forms)\.hsforms\.com/`],
  ['EmailJS', String.raw`api\.emailjs\.com/`],
];

const COMPILED = SERVICES.map(
  ([name, address]) => [name, new RegExp(String.raw`^(?:https?:)?//(?:www\.)?(?:${address})`, 'i')] as const,
);
/** Netlify's functions have no host of their own. */
const NETLIFY_FUNCTION = /^\/\.netlify\/functions\//;

/** A text that is in every script that names an address of a service, however it is escaped. */
export const NAMES_SERVICE =
  /formspree|formsubmit|getform|forminit|usebasin|web3forms|netlify|formcarry|docs\.google\.com|script\.google\.com|formbold|herotofu|submit-form\.com|staticforms|formkeep|formcake|fabform|un-static|kwes|pageclip|sheetmonkey|sheetdb|slapform|formester|formbackend|splitforms|jotform|hsforms|emailjs/i;

/** The host from which Formspree's library for React makes its addresses. */
export const FORMSPREE_ORIGIN = /^https:\/\/formspree\.io\/?$/;

/** The service that receives what is sent to an address; undefined: none. */
export function serviceOf(address: string): string | undefined {
  if (NETLIFY_FUNCTION.test(address)) return 'Netlify';
  return COMPILED.find(([, pattern]) => pattern.test(address))?.[0];
}
