import type { JSX } from 'preact';
import { t } from '../texts/chosen-texts.ts';
import { Select } from './field.tsx';

const DAY_MS = 86_400_000;

const LIFETIMES = ['never', '30', '90', '365'] as const;

export type Lifetime = (typeof LIFETIMES)[number];

const OPTIONS = LIFETIMES.map((value) => ({ value, label: t.account.lifetimes[value] }));

/** The time at which a lifetime that begins now is over; undefined: never. */
export const endOf = (lifetime: Lifetime): string | undefined =>
  lifetime === 'never' ? undefined : new Date(Date.now() + Number(lifetime) * DAY_MS).toISOString();

/** The choice of when something ends by itself. */
export const LifetimeField = ({
  label,
  value,
  onChange,
}: {
  label: string;
  value: Lifetime;
  onChange(value: Lifetime): void;
}): JSX.Element => <Select label={label} value={value} options={OPTIONS} onChange={onChange} />;
