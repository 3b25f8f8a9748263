import type { Resolver } from 'node:dns/promises';
import { proofName } from './domain-records.ts';

/** The answer of DNS to a question; `none`: why there are no values. undefined: DNS did not answer, which says nothing. */
type Answer = { values: string[]; none?: string } | undefined;

/** The records of a domain, and the addresses (A and AAAA) of the host to which it should lead, as DNS has them. */
export type Records = {
  txt: Answer;
  /** The CNAME record at the name of the TXT record, such as that of a wildcard. */
  txtAlias: Answer;
  cname: Answer;
  addresses: Answer;
  targetAddresses: Answer;
};

const EMPTY = 'that there is none';
/** Errors that are answers. Every other one is that of a server, or of the way to it. */
const NONE: Readonly<Record<string, string>> = { ENOTFOUND: 'NXDOMAIN', ENODATA: EMPTY };

async function ask(question: Promise<string[]>): Promise<Answer> {
  try {
    const values = await question;
    // A CNAME record that leads to no such record is no error.
    return values.length > 0 ? { values } : { values, none: EMPTY };
  } catch (error) {
    const none = error instanceof Error && 'code' in error ? NONE[String(error.code)] : undefined;
    return none === undefined ? undefined : { values: [], none };
  }
}

/** Without addresses of one kind, those of the other are enough. That there are none is known once both are answered. */
async function askAddresses(dns: Resolver, name: string): Promise<Answer> {
  const [ipv4, ipv6] = await Promise.all([ask(dns.resolve4(name)), ask(dns.resolve6(name))]);
  const values = [...(ipv4?.values ?? []), ...(ipv6?.values ?? [])];
  return values.length > 0 ? { values } : ipv4 && ipv6;
}

/** Some providers store the quotation marks around a value with it. */
const MARKS = ' \t\r\n\\"\'“”„';

/** The text of a TXT record, whose bytes are given as characters, without the marks around it. */
function textOf(chunks: readonly string[]): string {
  const text = Buffer.from(chunks.join(''), 'latin1').toString();
  let [from, to] = [0, text.length];
  while (from < to && MARKS.includes(text.charAt(from))) from += 1;
  while (from < to && MARKS.includes(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

/** Asks DNS all that the state of a domain depends on. Does not reject. */
export async function lookUp(dns: Resolver, domain: string, target: string): Promise<Records> {
  const texts = dns.resolveTxt(proofName(domain)).then((records) => records.map(textOf));
  const [txt, txtAlias, cname, addresses, targetAddresses] = await Promise.all([
    ask(texts),
    ask(dns.resolveCname(proofName(domain))),
    ask(dns.resolveCname(domain)),
    askAddresses(dns, domain),
    askAddresses(dns, target),
  ]);
  return { txt, txtAlias, cname, addresses, targetAddresses };
}
