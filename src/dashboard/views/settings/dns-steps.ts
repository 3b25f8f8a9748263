import { t } from '../../texts/chosen-texts.ts';

/*
 * Where records are added at common providers of DNS, in the words of their own pages.
 */

/** `place`: how one gets to the list of records. `name`: what the provider calls a record's name, and `value` its value. */
type Provider = { label: string; place: string; name: string; value: string; apex: string; note?: string };

const { noAlias: apex, anotherProvider, providers } = t.settings.dns;

export const PROVIDERS: Readonly<Record<string, Provider>> = {
  cloudflare: { label: 'Cloudflare', ...providers.cloudflare },
  godaddy: { label: 'GoDaddy', apex, ...providers.godaddy },
  ionos: { label: 'IONOS', apex, ...providers.ionos },
  namecheap: { label: 'Namecheap', ...providers.namecheap },
  ovh: { label: 'OVHcloud', apex, ...providers.ovh },
  route53: { label: 'Amazon Route 53', ...providers.route53 },
  strato: { label: 'Strato', apex, ...providers.strato },
};

export const CHOICES: readonly { value: string; label: string }[] = [
  { value: '', label: anotherProvider },
  ...Object.entries(PROVIDERS).map(([value, { label }]) => ({ value, label })),
];
