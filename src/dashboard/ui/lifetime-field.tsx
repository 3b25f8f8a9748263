import type { JSX } from 'preact';
import { Select } from './field.tsx';

const DAY_MS = 86_400_000;

const LIFETIMES = [
  { value: 'never', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
] as const;

export type Lifetime = (typeof LIFETIMES)[number]['value'];

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
}): JSX.Element => <Select label={label} value={value} options={LIFETIMES} onChange={onChange} />;
