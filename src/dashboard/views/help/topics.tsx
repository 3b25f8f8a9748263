import type { ComponentChildren, JSX } from 'preact';
import { VIEW_PATHS } from '../../../lib/dashboard-paths.ts';
import { t } from '../../texts/chosen-texts.ts';
import { Rich } from '../../texts/rich.tsx';
import type { IconName } from '../../ui/icon.tsx';

type Topic = {
  /** In the address. */
  name: string;
  icon: IconName;
  /** `about`: a sentence for the list. */
  texts: Readonly<Record<'title' | 'about' | 'picture', string>>;
  /** The address of the picture. */
  picture: string;
  Text(): JSX.Element;
};

const linkTo =
  (href: string) =>
  (label: ComponentChildren): JSX.Element => <a href={href}>{label}</a>;

function Publish(): JSX.Element {
  const { publish: texts } = t.help;
  return (
    <>
      <ol>
        <li>
          <Rich text={texts.start} with={{ a: linkTo(VIEW_PATHS.newPage) }} />
        </li>
        <li>{texts.write}</li>
        <li>
          <Rich text={texts.publish} />
        </li>
        <li>
          <Rich text={texts.test} />
        </li>
      </ol>
      <h2>{texts.change}</h2>
      <p>
        <Rich text={texts.edit} />
      </p>
      <h2>{texts.delete}</h2>
      <p>
        <Rich text={texts.trash} with={{ a: linkTo(VIEW_PATHS.trash) }} />
      </p>
    </>
  );
}

function Inbox(): JSX.Element {
  const { inbox: texts } = t.help;
  return (
    <>
      <p>
        <Rich text={texts.read} with={{ a: linkTo(VIEW_PATHS.allInboxes) }} />
      </p>
      <h2>{texts.find}</h2>
      <p>{texts.search}</p>
      <h2>{texts.several}</h2>
      <p>
        <Rich text={texts.select} />
      </p>
      <h2>{texts.take}</h2>
      <p>
        <Rich text={texts.export} />
      </p>
    </>
  );
}

function Notifications(): JSX.Element {
  const { notifications: texts } = t.help;
  return (
    <>
      <h2>{texts.mail}</h2>
      <p>
        <Rich text={texts.switchOn} />
      </p>
      <h2>{texts.webhooks}</h2>
      <p>
        <Rich text={texts.add} />
      </p>
      <h2>{texts.failed}</h2>
      <p>
        <Rich text={texts.logs} />
      </p>
    </>
  );
}

function Spam(): JSX.Element {
  const { spam: texts } = t.help;
  return (
    <>
      <p>
        <Rich text={texts.folder} />
      </p>
      <h2>{texts.keepOut}</h2>
      <p>
        <Rich text={texts.settings} />
      </p>
      <h2>{texts.good}</h2>
      <p>
        <Rich text={texts.notSpam} />
      </p>
    </>
  );
}

function YourSite(): JSX.Element {
  const { yourSite: texts } = t.help;
  return (
    <>
      <p>{texts.stays}</p>
      <ol>
        <li>
          <Rich text={texts.choose} with={{ a: linkTo(`${VIEW_PATHS.newPage}?start=elsewhere`) }} />
        </li>
        <li>{texts.paste}</li>
        <li>{texts.send}</li>
      </ol>
      <p>
        <Rich text={texts.own} />
      </p>
      <h2>{texts.lead}</h2>
      <p>
        <Rich text={texts.thanks} />
      </p>
    </>
  );
}

function Domain(): JSX.Element {
  const { domain: texts } = t.help;
  return (
    <>
      <p>{texts.what}</p>
      <ol>
        <li>
          <Rich text={texts.enter} />
        </li>
        <li>{texts.records}</li>
        <li>
          <Rich text={texts.check} />
        </li>
      </ol>
      <h2>{texts.trouble}</h2>
      <p>{texts.names}</p>
    </>
  );
}

function Registration(): JSX.Element {
  const { registration: texts } = t.help;
  return (
    <>
      <p>{texts.what}</p>
      <ol>
        <li>
          <Rich text={texts.choose} with={{ a: linkTo(VIEW_PATHS.newPage) }} />
        </li>
        <li>
          <Rich text={texts.settings} />
        </li>
        <li>
          <Rich text={texts.mail} />
        </li>
        <li>
          <Rich text={texts.test} />
        </li>
      </ol>
      <h2>{texts.full}</h2>
      <p>{texts.late}</p>
      <h2>{texts.take}</h2>
      <p>
        <Rich text={texts.export} />
      </p>
    </>
  );
}

/** The pages of the help, in the order of their list. */
export const TOPICS: readonly Topic[] = [
  {
    name: 'publish',
    icon: 'upload',
    texts: t.help.publish,
    picture: new URL('../../../../docs/dashboard/new-page.png', import.meta.url).href,
    Text: Publish,
  },
  {
    name: 'inbox',
    icon: 'mail',
    texts: t.help.inbox,
    picture: new URL('../../../../docs/dashboard/inbox.png', import.meta.url).href,
    Text: Inbox,
  },
  {
    name: 'notifications',
    icon: 'send',
    texts: t.help.notifications,
    picture: new URL('../../../../docs/dashboard/notifications.png', import.meta.url).href,
    Text: Notifications,
  },
  {
    name: 'spam',
    icon: 'warning',
    texts: t.help.spam,
    picture: new URL('../../../../docs/dashboard/spam.png', import.meta.url).href,
    Text: Spam,
  },
  {
    name: 'your-site',
    icon: 'edit',
    texts: t.help.yourSite,
    picture: new URL('../../../../docs/dashboard/elsewhere.png', import.meta.url).href,
    Text: YourSite,
  },
  {
    name: 'domain',
    icon: 'open',
    texts: t.help.domain,
    picture: new URL('../../../../docs/dashboard/settings.png', import.meta.url).href,
    Text: Domain,
  },
  {
    name: 'registration',
    icon: 'check',
    texts: t.help.registration,
    picture: new URL('../../../../docs/dashboard/new-page.png', import.meta.url).href,
    Text: Registration,
  },
];
