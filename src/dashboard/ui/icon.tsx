import type { JSX } from 'preact';

const SHAPES = {
  brand: 'M6 6h12M6 12h8M6 18h4',
  chart: 'M4 20h16M7 16v-5M12 16V5M17 16V9',
  warning: 'M12 4 2.8 20h18.4zM12 10v4.5M12 17.4v.1',
  done: 'm5 12.5 4.5 4.5L19 7',
  close: 'M6 6l12 12M18 6 6 18',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  open: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  mail: 'M3 6h18v12H3zM3 7l9 6 9-6',
  send: 'M21 3 3 10l7 4 4 7zM10 14 21 3',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5',
  save: 'M12 4v12M7 11l5 5 5-5M4 16v4h16v-4',
  circle: 'M12 12m-8 0a8 8 0 1 0 16 0a8 8 0 1 0-16 0',
  upload: 'M12 16V4M7 9l5-5 5 5M4 16v4h16v-4',
  plus: 'M12 5v14M5 12h14',
  key: 'M14.5 9.5m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0M11 13l-7 7M6 18l2 2M9 15l2 2',
  replace: 'M4 12a8 8 0 0 1 14-5l2 2M20 4v5h-5M20 12a8 8 0 0 1-14 5l-2-2M4 20v-5h5',
  edit: 'M4 20l1-5L16 4l4 4L9 19z',
  undo: 'M8 5 4 9l4 4M4 9h10a6 6 0 0 1 0 12h-3',
  redo: 'm16 5 4 4-4 4M20 9H10a6 6 0 0 0 0 12h3',
  page: 'M6 3h8l4 4v14H6zM14 3v4h4',
  star: 'm12 3.5 2.6 5.4 5.9.8-4.3 4.1 1 5.9-5.2-2.8-5.2 2.8 1-5.9-4.3-4.1 5.9-.8z',
  check: 'M4 6h10M4 12h10M4 18h6M15 17l2.5 2.5L22 15',
  back: 'M15 5l-7 7 7 7',
  help: 'M12 12m-9 0a9 9 0 1 0 18 0a9 9 0 1 0-18 0M9.3 9.3a2.8 2.8 0 1 1 3.9 2.6c-.9.4-1.2.9-1.2 1.8M12 16.9v.1',
  leave: 'M10 4H4v16h6M15 8l4 4-4 4M9 12h10',
  more: 'M5 12v.1M12 12v.1M19 12v.1',
  search: 'M10.5 10.5m-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0M15 15l5.5 5.5',
  settings: 'M4 7h9M19 7h1M4 17h1M11 17h9M13 7a3 3 0 1 0 6 0a3 3 0 1 0-6 0M5 17a3 3 0 1 0 6 0a3 3 0 1 0-6 0',
  webhook: 'M8 5H4v14h4M16 5h4v14h-4M9 12h6',
  slack: 'M9 3v18M15 3v18M3 9h18M3 15h18',
  chat: 'M4 5h16v11h-9l-5 4v-4H4zM8 9h8M8 12h5',
  next: 'M9 5l7 7-7 7',
  unfold: 'M6 9l6 6 6-6',
  note: 'M5 4h14v10l-6 6H5zM13 20v-6h6M8.5 8.5h7M8.5 12h4',
  newer: 'm6 15 6-6 6 6',
  calendar: 'M4 6h16v14H4zM4 10.5h16M8 3.5V8M16 3.5V8',
  columns: 'M4 5h16v14H4zM9.5 5v14M15 5v14',
  download: 'M12 4v11M7.5 11l4.5 4.5 4.5-4.5M5 20h14',
  print: 'M7 8V4h10v4M7 17H4V8h16v9h-3M7 14h10v6H7z',
  spam: 'M12 3.5 20 7v5c0 4.5-3.3 7.5-8 8.8C7.3 19.5 4 16.5 4 12V7zM12 8.5v4M12 15.6v.1',
  unread: 'M3 6h12M21 12v6H3V6M3 7l9 6 3-2M19.5 6.5m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0',
  keyboard: 'M3 6h18v12H3zM7 10h.1M11 10h.1M15 10h.1M17 13.9h.1M7 13.9h.1M10 14h4',
  finished: 'M12 12m-8 0a8 8 0 1 0 16 0a8 8 0 1 0-16 0M8.5 12l2.5 2.5 4.5-5',
} as const;

export type IconName = keyof typeof SHAPES;

/** A picture beside a text that says the same. */
export const Icon = ({ name }: { name: IconName }): JSX.Element => (
  <svg class={`icon icon-${name}`} viewBox="0 0 24 24" aria-hidden="true">
    <path d={SHAPES[name]} />
  </svg>
);
