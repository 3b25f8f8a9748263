import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../client/client.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Select } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { CHOICES, PROVIDERS } from './dns-steps.ts';

export type Domain = Schemas['CustomDomain'];
type DnsRecord = Domain['records'][number];

const PURPOSES = { ownership: 'proves that the domain is yours', traffic: 'leads visitors here' };

/** Returns what is wrong with each record, by its purpose. The sentence about the proof comes first, and ends in its value. */
function problemsOf({ problem, records }: Domain): Readonly<Record<DnsRecord['purpose'], string>> {
  const proof = records.find(({ purpose }) => purpose === 'ownership');
  const all = problem ?? '';
  if (!(proof && all.includes(`TXT record of ${proof.name}`))) return { ownership: '', traffic: all };
  const value = `"${proof.value}".`;
  const end = all.lastIndexOf(value) + value.length;
  return { ownership: all.slice(0, end), traffic: all.slice(end).trim() };
}

const Copied = ({ text, label, of }: { text: string; label: string; of: string }): JSX.Element => (
  <div class="spread">
    <code>{text}</code>
    <CopyButton text={text} of={of}>
      {label}
    </CopyButton>
  </div>
);

/** A record to add, and whether DNS has it. The value of an ALIAS record is a sentence. */
function RecordToAdd({
  record: { type, name, value, purpose },
  domain: { domain, status, checked_at: checkedAt },
  problem,
}: {
  record: DnsRecord;
  domain: Domain;
  problem: string;
}): JSX.Element {
  // A domain is broken because its proof is gone.
  const isGone = status === 'broken' && purpose === 'ownership';
  const isFound = checkedAt !== null && problem === '' && !isGone;
  const of = `of the ${type} record of ${domain}`;
  return (
    <li class="dns-record stack">
      <p class="buttons">
        <span class={isFound ? 'badge good' : 'badge'}>
          {isFound && <Icon name="done" />}
          {isFound ? 'Found' : 'Not found yet'}
        </span>
        <strong>{type} record</strong> <span class="muted">{PURPOSES[purpose]}</span>
      </p>
      <Copied text={name} label="Copy name" of={of} />
      {type === 'ALIAS' ? <p>{value}</p> : <Copied text={value} label="Copy value" of={of} />}
      {problem !== '' && <p class="muted">{problem}</p>}
    </li>
  );
}

/** The steps at a provider of DNS, which people choose. */
function Steps({ records }: { records: readonly DnsRecord[] }): JSX.Element {
  const [chosen, setChosen] = useState('');
  const provider = PROVIDERS[chosen];
  const hasAlias = records.some(({ type }) => type === 'ALIAS');
  return (
    <div class="stack">
      <Select label="Where you manage the domain" value={chosen} options={CHOICES} onChange={setChosen} />
      <ol class="steps">
        <li>{provider?.place ?? 'Sign in where you registered the domain, and open its DNS records.'}</li>
        <li>
          Add each record below. Copy its name into <em>{provider?.name ?? 'Name or Host'}</em>, without your domain at
          its end if that is added by itself, and its value into <em>{provider?.value ?? 'Value or Target'}</em>.
        </li>
        {hasAlias && <li>{provider?.apex ?? 'For the domain itself, add an ALIAS record, or A and AAAA records.'}</li>}
        {provider?.note && <li>{provider.note}</li>}
        <li>Wait: the records are looked for every few seconds. It can take an hour until they are everywhere.</li>
      </ol>
    </div>
  );
}

/** The records of a domain with a tick for each that is there, and the way to add the others. */
export function DnsRecords({ domain: one }: { domain: Domain }): JSX.Element {
  const { domain, status, records } = one;
  const problems = problemsOf(one);
  return (
    <details open={status !== 'live'}>
      <summary>
        DNS records<span class="unseen"> of {domain}</span>
      </summary>
      <div class="stack">
        {status !== 'live' && <Steps records={records} />}
        <ul class="stack">
          {records.map((record) => (
            <RecordToAdd key={record.purpose} record={record} domain={one} problem={problems[record.purpose]} />
          ))}
        </ul>
      </div>
    </details>
  );
}
