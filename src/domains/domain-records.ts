import { createHmac } from 'node:crypto';
import { domainSentence } from '../problems/domain-sentences.ts';
import { isApex } from './domain-names.ts';

/** A DNS record that the owner of a domain adds. An `ALIAS` has a sentence as its value. */
export type DomainRecord = {
  type: 'TXT' | 'CNAME' | 'ALIAS';
  name: string;
  value: string;
  purpose: 'ownership' | 'traffic';
};

/** Makes the text by which a deployment proves a domain. `secret`: the same for all processes. */
export const createProofs =
  (secret: Buffer) =>
  (deploymentId: string): string =>
    `formhost-verification=${createHmac('sha256', secret).update(`formhost domain: ${deploymentId}`).digest('hex').slice(0, 32)}`;

export const proofName = (domain: string): string => `_formhost.${domain}`;

/** `target`: the host to which the domain's requests go. */
export const recordsOf = (domain: string, proof: string, target: string): DomainRecord[] => [
  { type: 'TXT', name: proofName(domain), value: proof, purpose: 'ownership' },
  isApex(domain)
    ? {
        type: 'ALIAS',
        name: domain,
        value: domainSentence('alias-value', { target }),
        purpose: 'traffic',
      }
    : { type: 'CNAME', name: domain, value: target, purpose: 'traffic' },
];
