/*
 * Where records are added at common providers of DNS, in the words of their own pages.
 */

/** `place`: how one gets to the list of records. `name`: what the provider calls a record's name, and `value` its value. */
type Provider = { label: string; place: string; name: string; value: string; apex: string; note?: string };

const NO_ALIAS =
  'It has no ALIAS records: add A and AAAA records with the addresses, or use a domain with a name before it, such as www.';

export const PROVIDERS: Readonly<Record<string, Provider>> = {
  cloudflare: {
    label: 'Cloudflare',
    place: 'Choose your domain, then DNS, Records, Add record.',
    name: 'Name',
    value: 'Target, or Content of the TXT record',
    apex: 'Add a CNAME record with @ as its name: Cloudflare flattens it.',
    note: 'Switch the proxy of the CNAME record off (DNS only, a grey cloud), at least until the domain is live.',
  },
  godaddy: {
    label: 'GoDaddy',
    place: 'Open your domain portfolio, choose the domain, then DNS, Add New Record.',
    name: 'Name',
    value: 'Value',
    apex: NO_ALIAS,
  },
  ionos: {
    label: 'IONOS',
    place: 'Open Domains & SSL, the gear beside the domain, then DNS, Add record.',
    name: 'Host name',
    value: 'Points to, or Value of the TXT record',
    apex: NO_ALIAS,
  },
  namecheap: {
    label: 'Namecheap',
    place: 'Open Domain List, Manage beside the domain, then Advanced DNS, Add New Record.',
    name: 'Host',
    value: 'Value, or Target',
    apex: 'Add an ALIAS record with @ as its host.',
  },
  ovh: {
    label: 'OVHcloud',
    place: 'Open Web Cloud, Domain names, your domain, then DNS zone, Add an entry.',
    name: 'Sub-domain',
    value: 'Value, or Target',
    apex: NO_ALIAS,
    note: 'Write the target of a CNAME record with a dot at its end.',
  },
  route53: {
    label: 'Amazon Route 53',
    place: 'Open Hosted zones, your domain, then Create record.',
    name: 'Record name',
    value: 'Value',
    apex: 'Its aliases lead to services of AWS only: add A and AAAA records with the addresses.',
    note: 'Put the value of the TXT record into quotation marks.',
  },
  strato: {
    label: 'Strato',
    place: 'Open Domains, Domain management, the gear beside the domain, then DNS, TXT and CNAME records.',
    name: 'Prefix',
    value: 'Value',
    apex: NO_ALIAS,
    note: 'A CNAME record is set for a subdomain: add the subdomain first.',
  },
};

export const CHOICES: readonly { value: string; label: string }[] = [
  { value: '', label: 'Another provider' },
  ...Object.entries(PROVIDERS).map(([value, { label }]) => ({ value, label })),
];
