/**
 * The networks from which root has signed in: a sign-in from another one raises an alert in its own
 * transaction.
 */

import { roles } from "@tollgate/contract/accounts/roles.ts";
import { findNetwork } from "@tollgate/contract/api/cidr.ts";
import { sql as raw } from "kysely";
import { buildAlertEventRow } from "../../../notices/alerts/alert-events.ts";
import type { Database } from "../../../storage/database.ts";
import type { AlertEventRow } from "../../../storage/tables/alert-tables.ts";
import type { SignInAlarm } from "./create-session.ts";

/**
 * `rootNetworksMax` holds those unused for longest are forgotten; root who travels for a year stays
 * below.
 */
export const rootNetworksMax = 100;

/** The first sign-in of an account raises nothing, for there is nothing to compare it with. */
export const createRootSignInAlarm =
  ({ sql, mintId }: Pick<Database, "sql" | "mintId">): SignInAlarm =>
  ({ id: userId, role, username }, { address, now }) => {
    const network = role >= roles.root ? findNetwork(address) : undefined;
    if (network === undefined) return [];
    // Each network is an alert: one that still fires must not hide the next.
    const subject = { kind: "user", id: `${userId}/${network}`, name: username } as const;
    const facts = { kind: "root_signed_in", username, network } as const;
    const event = buildAlertEventRow(
      mintId(),
      { rule: "sign_in.root", subject, state: "firing", facts },
      now,
    );
    // PostgreSQL knows no type of a null in a selection.
    const columns = (Object.keys(event) as (keyof AlertEventRow)[]).filter(
      (column) => event[column] !== null,
    );
    const known = sql.selectFrom("root_networks").select("network").where("user_id", "=", userId);
    const isUnusual = sql
      .selectNoFrom(columns.map((column) => raw`${event[column]}`.as(column)))
      .where(({ exists, not }) =>
        exists(known).and(not(exists(known.where("network", "=", network)))),
      );
    const seen = sql.insertInto("root_networks").values({ user_id: userId, network, seen_at: now });
    const newest = known.orderBy("seen_at", "desc").orderBy("network").limit(rootNetworksMax);
    return [
      { query: sql.insertInto("alert_events").columns(columns).expression(isUnusual) },
      {
        query: seen.onConflict((row) =>
          row.columns(["user_id", "network"]).doUpdateSet({ seen_at: now }),
        ),
      },
      {
        query: sql
          .deleteFrom("root_networks")
          .where("user_id", "=", userId)
          .where("network", "not in", newest),
      },
    ];
  };
