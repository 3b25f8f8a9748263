import { z } from 'zod';
import { findTitles } from '../../../db/deployments/overview-queries.ts';
import type { Database } from '../../../db/postgres/connect.ts';
import { findFound } from '../../../db/submissions/found-submissions.ts';
import { findOwnPages, type OwnPage } from '../../../db/submissions/owner-inbox-queries.ts';
import { type Position, searchSubmissions } from '../../../db/submissions/search-submissions.ts';
import { jsonText } from '../../operation/declaration.ts';
import { operation } from '../../operation/operation.ts';
import { LINK_HEADER, nextLink } from '../../request/link-header.ts';
import { Paging } from '../../request/paging.ts';
import { answerObject, countField, deploymentId, textOrNull } from '../../request/shared-fields.ts';
import { ownSlug } from '../deployments/deployment-endpoints.ts';
import { titleField } from '../deployments/overview-endpoints.ts';
import { InboxSubmissionBody, inboxJson } from './inbox-endpoints.ts';
import {
  boundedSearch,
  cursorAt,
  cursorField,
  FilterQuery,
  positionAt,
  SEARCH_COMMAND,
  searchOf,
  timesOf,
} from './inbox-filter.ts';

const Results = answerObject('InboxResults', {
  submissions: z.array(
    answerObject('OwnInboxSubmission', {
      ...InboxSubmissionBody.shape,
      deployment_id: deploymentId,
      slug: ownSlug,
      title: titleField,
    }),
  ),
  next_cursor: textOrNull('Where the next request goes on; null at the end.', null),
  searched: countField('How many submissions this request has looked at.', 1),
  total: countField('How many submissions the deployments have.', 1),
});

/** A position as the cursor that leads behind it. */
const CURSOR =
  /^([0-9]{1,16})\.(d_[0-9A-Za-z]{20,60})\.(-?[1-9][0-9]{0,14}|-0|(?:0|-?[1-9][0-9]{0,14})\.[1-9][0-9]{0,14})$/;
const toCursor = ({ at, deploymentId: id, ...position }: Position): string => `${at}.${id}.${cursorAt(position)}`;

function fromCursor(text: string | undefined): Position | undefined {
  const [, at, id, position] = CURSOR.exec(text ?? '') ?? [];
  return at && id && position ? { at: Number(at), deploymentId: id, ...positionAt(position) } : undefined;
}

const Query = FilterQuery.extend({ limit: Paging.shape.limit, cursor: cursorField(CURSOR) });

/** The submissions that were found, as JSON texts in the shape of `OwnInboxSubmission`. */
async function readFound(db: Database, pages: readonly OwnPage[], positions: readonly Position[]): Promise<string[]> {
  const found = await findFound(db, positions);
  const titles = await findTitles(db, [...new Set(found.map((one) => one.deploymentId))]);
  const slugs = new Map(pages.map((page) => [page.deploymentId, page.slug]));
  const shown = new Map<string, string>();
  for (const [id, title] of titles) {
    const fields = { deployment_id: id, slug: slugs.get(id), title };
    shown.set(id, JSON.stringify(fields).slice(1));
  }
  return found.flatMap((one) => {
    const page = shown.get(one.deploymentId);
    // Without one, the page has just been deleted for good.
    return page === undefined ? [] : [`${inboxJson(one).slice(0, -1)},${page}`];
  });
}

/** The submissions of all pages of an owner. */
export const ownerInboxOperation = operation('GET', '/inbox', 'searchInbox', {
  command: {
    usage: 'inbox [query]',
    help: ['$ inbox', '$ inbox ada@example.org', '$ inbox --unread --from 2026-11-01'],
    ...SEARCH_COMMAND,
    as: { q: '[query]', ...SEARCH_COMMAND.as },
  },
  summary: 'Search the submissions of all your {deployment}s',
  description: (app) => `Newest first, without those of deleted deployments. ${boundedSearch(app)}`,
  query: Query,
  answer: { description: 'The submissions that were found.', headers: LINK_HEADER, schema: Results },
  async handle({ request, owner, query, setHeaders }, app) {
    const { db } = app;
    const pages = await findOwnPages(db, owner, { ...timesOf(query), cursor: fromCursor(query.cursor) });
    const search = { ...searchOf(app, query), limit: query.limit };
    const { positions, searched, next } = await searchSubmissions(db, pages, search);
    const submissions = await readFound(db, pages, positions);
    const total = pages.reduce((sum, { count }) => sum + count, 0);
    const rest = JSON.stringify({ next_cursor: next ? toCursor(next) : null, searched, total });
    const text = `{"submissions":[${submissions.join(',')}],${rest.slice(1)}`;
    if (next) setHeaders(nextLink(request, { cursor: toCursor(next) }));
    return jsonText(text);
  },
});
