import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../client/client.ts';
import { domainSentenceIn } from '../../../problems/domain-sentences.ts';
import { fill, language, t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Select } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { CHOICES, PROVIDERS } from './dns-steps.ts';

export type Domain = Schemas['CustomDomain'];
type DnsRecord = Domain['records'][number];

const texts = t.settings.dns;

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

/** A sentence of the service about a record, which is in English. The card of the record shows its name and its value. */
function Sentence({ sentence }: { sentence: string }): JSX.Element {
  const said = language === 'en' ? null : domainSentenceIn(sentence);
  if (!said) return <bdi lang="en">{sentence}</bdi>;
  const { domain = '', target = '', found = '', answer = '' } = said.values;
  return <Rich text={texts.sentences[said.code]} with={{ domain, target, found, answer }} />;
}

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
  const of = fill(texts.ofRecord, { type, domain });
  return (
    <li class="dns-record stack">
      <p class="buttons">
        <span class={isFound ? 'badge good' : 'badge'}>
          {isFound && <Icon name="done" />}
          {isFound ? texts.found : texts.notFound}
        </span>
        <Rich text={texts.records[purpose]} with={{ type, about: (about) => <span class="muted">{about}</span> }} />
      </p>
      <Copied text={name} label={texts.copyName} of={of} />
      {type === 'ALIAS' ? (
        <p>
          <Sentence sentence={value} />
        </p>
      ) : (
        <Copied text={value} label={texts.copyValue} of={of} />
      )}
      {problem !== '' && (
        <p class="muted">
          <Sentence sentence={problem} />
        </p>
      )}
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
      <Select label={texts.where} value={chosen} options={CHOICES} onChange={setChosen} />
      <ol class="steps">
        <li>{provider?.place ?? texts.signIn}</li>
        <li>
          <Rich
            text={texts.copy}
            with={{ name: provider?.name ?? texts.nameOrHost, value: provider?.value ?? texts.valueOrTarget }}
          />
        </li>
        {hasAlias && <li>{provider?.apex ?? texts.addAlias}</li>}
        {provider?.note && <li>{provider.note}</li>}
        <li>{texts.wait}</li>
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
        <Rich text={texts.title} with={{ domain, unseen: (of) => <span class="unseen">{of}</span> }} />
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
