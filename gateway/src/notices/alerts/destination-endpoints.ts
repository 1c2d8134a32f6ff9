/** The common parts of the endpoints for the site's destinations and for users' destinations. */
import type { Notice, NoticeTransition } from "@tollgate/contract/notices/destinations.ts";
import type { Sealer } from "../../secrets/seal.ts";
import type { Database } from "../../storage/database.ts";
import type { DestinationStore } from "./destination-store.ts";
import { readPayload } from "./notice-payload.ts";
import type { ListedNotice, NoticeStore } from "./notice-store.ts";
import type { SendNotice } from "./send-notice.ts";

export interface DestinationRoutesDeps {
  db: Database;
  destinations: DestinationStore;
  notices: NoticeStore;
  seal: Sealer;
  /** `addressIssue` says why an address must not be called, or undefined. */
  addressIssue(address: string): string | undefined;
  send: SendNotice;
  canMail(): boolean;
}

export const viewNotice = (row: ListedNotice): Notice => ({
  id: row.id,
  transition: row.transition as NoticeTransition,
  rule: row.rule,
  subject_name: readPayload(row.payload)
    .alerts.map(({ subject }) => subject.name)
    .join(", "),
  destination_id: row.destination_id,
  destination_name: row.destination_name,
  state: row.state,
  tries: row.tries,
  next_at: row.next_at,
  answer: row.answer,
  created_at: row.created_at,
  ended_at: row.ended_at,
});
