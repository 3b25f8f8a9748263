import type { JSX } from 'preact';
import type { Schemas } from '../../../client/client.ts';
import { answer, api } from '../../api.ts';
import { useData } from '../../data.ts';
import { t } from '../../texts/chosen-texts.ts';
import { Button } from '../../ui/button.tsx';
import { Shown } from '../../ui/states.tsx';

type Check = Schemas['HealthCheck'];

const STATUSES: Readonly<Record<Check['status'], { label: string; badge: string }>> = {
  ok: { label: t.admin.health.ok, badge: 'badge good' },
  skip: { label: t.admin.health.skip, badge: 'badge' },
  warn: { label: t.admin.health.warn, badge: 'badge warn' },
  fail: { label: t.admin.health.fail, badge: 'badge bad' },
};

const NAMES: Readonly<Record<string, string>> = t.admin.health.names;

/** Before the advice in a message. */
const ADVICE = ' -> ';

function CheckRow({ check: { name, status, message } }: { check: Check }): JSX.Element {
  const [saw = '', advice] = message.split(ADVICE);
  const { label, badge } = STATUSES[status];
  return (
    <li class="row">
      <div class="row-text">
        <p>
          <strong>{NAMES[name] ?? <bdi lang="en">{name}</bdi>}</strong> <span class={badge}>{label}</span>
        </p>
        <p class="muted">
          <bdi lang="en">{saw}</bdi>
        </p>
        {advice !== undefined && (
          <p>
            <bdi lang="en">{advice}</bdi>
          </p>
        )}
      </div>
    </li>
  );
}

/** The installation as the doctor finds it. */
export function Health(): JSX.Element {
  const loaded = useData('admin-health', (signal) => answer(api.GET('/admin/health', { signal })));
  return (
    <section class="card stack" aria-label={t.admin.parts.health}>
      <Shown loaded={loaded} label={t.admin.health.checking}>
        {({ checks }) => (
          <>
            <ul class="rows">
              {checks.map((check) => (
                <CheckRow key={check.name} check={check} />
              ))}
            </ul>
            <div class="buttons">
              <Button icon="replace" isBusy={loaded.isLoading} onClick={loaded.reload}>
                {t.admin.health.checkAgain}
              </Button>
            </div>
          </>
        )}
      </Shown>
    </section>
  );
}
