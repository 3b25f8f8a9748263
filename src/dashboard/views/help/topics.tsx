import type { JSX } from 'preact';
import type { IconName } from '../../ui/icon.tsx';

type Topic = {
  /** In the address. */
  name: string;
  title: string;
  icon: IconName;
  /** A sentence for the list. */
  about: string;
  picture: { href: string; alt: string };
  Text(): JSX.Element;
};

const Publish = (): JSX.Element => (
  <>
    <ol>
      <li>
        Choose <a href="/dashboard/new">New page</a>, and start from a finished page. Or paste the HTML that you have,
        or drop its file.
      </li>
      <li>Change the texts. The preview shows the page, and the check says where a form would not arrive.</li>
      <li>
        Choose <strong>Publish</strong>. Your page has an address of its own: send it as a link, or print its QR code.
      </li>
      <li>
        Choose <strong>Send a test</strong>. It appears in the inbox, as each submission will.
      </li>
    </ol>
    <h2>Change a page</h2>
    <p>
      <strong>Edit</strong> opens the HTML of the page. The address, the submissions and the settings stay.{' '}
      <strong>Page</strong> lists the versions: <strong>Restore</strong> makes an earlier one live again.
    </p>
    <h2>Delete a page</h2>
    <p>
      <strong>Delete</strong> takes the page offline and moves it to the <a href="/dashboard/trash">trash</a>, with its
      submissions. <strong>Undo</strong> or <strong>Restore</strong> brings it back.
    </p>
  </>
);

const Inbox = (): JSX.Element => (
  <>
    <p>
      Each page has an inbox, and <a href="/dashboard/inbox">Inbox</a> shows the submissions of all pages. New ones
      appear by themselves, unread ones in bold. Open one to read it: it counts as read then.
    </p>
    <h2>Find submissions</h2>
    <p>Search in all texts, or choose days, unread ones, or those with a star. The list grows while you scroll.</p>
    <h2>Work with several</h2>
    <p>
      Select submissions to mark, star or delete them together. <strong>Shortcuts</strong> lists the keys that do the
      same.
    </p>
    <h2>Take them with you</h2>
    <p>
      <strong>Export</strong> saves as a table for Excel, or as CSV, what the list shows.
    </p>
  </>
);

const Notifications = (): JSX.Element => (
  <>
    <h2>Mail</h2>
    <p>
      Open the page, choose <strong>Notifications</strong>, and switch on <strong>Send mail about submissions</strong>.
      You get a mail for each submission, or one an hour or a day. Other recipients get a mail first, and confirm their
      address with its link.
    </p>
    <h2>Webhooks</h2>
    <p>
      A webhook is an address of another program, to which each submission is sent at once. Paste the address that
      Slack, Discord, Teams, Google Chat, Telegram, Zapier or your own program gives you, and choose{' '}
      <strong>Add webhook</strong>.
    </p>
    <h2>If something does not arrive</h2>
    <p>
      Each log shows the attempts and their results. A failed one is tried again by itself. <strong>Send again</strong>{' '}
      repeats one at once, <strong>Replay all failed</strong> all of them.
    </p>
  </>
);

const Spam = (): JSX.Element => (
  <>
    <p>
      Unwanted submissions go to the folder <strong>Spam</strong> of the inbox. Nobody is notified of them, and they are
      deleted after 30 days.
    </p>
    <h2>Keep spam out</h2>
    <p>
      Open the page, choose <strong>Settings</strong>, and list words that only spam has. If that is not enough, switch
      on a captcha: the browsers of your visitors then solve a puzzle before they send.
    </p>
    <h2>If something good is in the folder</h2>
    <p>
      Select it, and choose <strong>Not spam</strong>: it is in the inbox then, and mail and webhooks get it.
    </p>
  </>
);

const YourSite = (): JSX.Element => (
  <>
    <p>Your site stays where it is: only its form sends to this service.</p>
    <ol>
      <li>
        Choose <a href="/dashboard/new?start=elsewhere">My form is on another site</a>, and give the form a name.
      </li>
      <li>Paste the form that you get into your page. Change its fields as you like.</li>
      <li>Send it once. The submission appears in the inbox.</li>
    </ol>
    <p>
      You have a form already? Give it <code>method="post"</code>, and as its <code>action</code> the address that{' '}
      <strong>Copy the address</strong> copies. It is also in the view <strong>Page</strong>, under “Use this form
      elsewhere”.
    </p>
    <h2>Lead visitors back</h2>
    <p>
      Visitors see a page that thanks them, with a link back to your site. <strong>Settings</strong> can lead them to a
      page of your own, and accept the form from your site only.
    </p>
  </>
);

const Domain = (): JSX.Element => (
  <>
    <p>A page can have an address of your own, such as forms.example.org, besides the one that it got here.</p>
    <ol>
      <li>
        Open the page, choose <strong>Settings</strong>, and enter the domain under <strong>Domains</strong>.
      </li>
      <li>
        Two records appear. Open the DNS settings at the company where you have the domain, often called “DNS”, “Zone”
        or “Name server”, and add both there exactly as they are shown.
      </li>
      <li>
        Come back, and choose <strong>Check</strong>. New records take minutes at most companies, and a day at some;
        they are checked by themselves, too.
      </li>
    </ol>
    <h2>If it does not work</h2>
    <p>
      Many companies add the domain to the name of a record by themselves: enter only what stands before it. A domain
      that leads to another site already can’t lead here, too: take a name below it, such as forms.example.org.
    </p>
  </>
);

const Registration = (): JSX.Element => (
  <>
    <p>For a course, a dinner or an open day: people register until all places are taken, or until a time.</p>
    <ol>
      <li>
        Choose <a href="/dashboard/new">New page</a> and <strong>Registration</strong>, change its texts, and publish
        it.
      </li>
      <li>
        Open <strong>Settings</strong>. Enter how many places there are, and when the registration opens and closes.
      </li>
      <li>
        Open <strong>Notifications</strong>, and switch on mail about submissions, so that you hear of each
        registration.
      </li>
      <li>
        Choose <strong>Send a test</strong>. It takes no place.
      </li>
    </ol>
    <h2>When it is full</h2>
    <p>
      Nobody gets a place too many, also if two people send at the same moment. Whoever is late reads that it is full.
      Delete a registration, and its place is free again.
    </p>
    <h2>Take the list with you</h2>
    <p>
      <strong>Export</strong> in the inbox saves all registrations as a table for Excel.
    </p>
  </>
);

/** The pages of the help, in the order of their list. */
export const TOPICS: readonly Topic[] = [
  {
    name: 'publish',
    title: 'Publish a page',
    icon: 'upload',
    about: 'From a finished page or your own HTML to an address, and how to change it.',
    picture: {
      href: new URL('../../../../docs/dashboard/new-page.png', import.meta.url).href,
      alt: 'Three finished pages to start from, and the field for your own HTML',
    },
    Text: Publish,
  },
  {
    name: 'inbox',
    title: 'Your inbox',
    icon: 'mail',
    about: 'Read, search, sort out and export what people sent.',
    picture: {
      href: new URL('../../../../docs/dashboard/inbox.png', import.meta.url).href,
      alt: 'The list of submissions, the unread ones in bold',
    },
    Text: Inbox,
  },
  {
    name: 'notifications',
    title: 'Mail and webhooks',
    icon: 'send',
    about: 'Get mail about submissions, or send them on to Slack, Discord, Teams, Telegram, Zapier and others.',
    picture: {
      href: new URL('../../../../docs/dashboard/notifications.png', import.meta.url).href,
      alt: 'The settings of the mail, and a webhook',
    },
    Text: Notifications,
  },
  {
    name: 'spam',
    title: 'Spam',
    icon: 'warning',
    about: 'Keep unwanted submissions out, and get wanted ones back.',
    picture: {
      href: new URL('../../../../docs/dashboard/spam.png', import.meta.url).href,
      alt: 'Submissions in the spam folder',
    },
    Text: Spam,
  },
  {
    name: 'your-site',
    title: 'A form on your own site',
    icon: 'edit',
    about: 'Keep your site where it is, and receive only its form here.',
    picture: {
      href: new URL('../../../../docs/dashboard/elsewhere.png', import.meta.url).href,
      alt: 'The form to paste into your own page',
    },
    Text: YourSite,
  },
  {
    name: 'domain',
    title: 'Your own domain',
    icon: 'open',
    about: 'Give a page an address such as forms.example.org, step by step.',
    picture: {
      href: new URL('../../../../docs/dashboard/settings.png', import.meta.url).href,
      alt: 'The settings of a page, with its domains',
    },
    Text: Domain,
  },
  {
    name: 'registration',
    title: 'A registration with places',
    icon: 'check',
    about: 'Let people register until it is full, or until a time.',
    picture: {
      href: new URL('../../../../docs/dashboard/new-page.png', import.meta.url).href,
      alt: 'The finished pages to start from, of which one is a registration',
    },
    Text: Registration,
  },
];
