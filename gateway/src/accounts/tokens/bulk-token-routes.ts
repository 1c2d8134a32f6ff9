/**
 * The routes of verbs for many tokens: the caller's own, and for administrators those of others.
 */
import type { TakenAction } from "@tollgate/contract/accounts/all-tokens.ts";
import { tokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import { changeManyTokens, disableManyTokens } from "@tollgate/contract/api/bulk-verbs.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { planBulk, runBulk } from "../../http/plan-bulk.ts";
import { refuse } from "../../http/refusal.ts";
import { composeTokenTakenMail } from "../../notices/mail/mail-messages.ts";
import type { MailOutbox } from "../../notices/mail/mail-outbox.ts";
import type { Database } from "../../storage/database.ts";
import type { AllTokenStore, HeldTokenRow } from "./all-token-store.ts";
import { buildStatusColumns, type IsOwnerAway, readPausing, wakesResting } from "./pause-rules.ts";
import { changeColumns, showStatus } from "./token-rules.ts";
import type { TokenStore } from "./token-store.ts";

interface BulkTokenRoutesDeps {
  db: Database;
  tokens: TokenStore;
  allTokens: AllTokenStore;
  outbox: MailOutbox;
  isAway: IsOwnerAway;
  /** Refuses accounts that the caller may not change. */
  checkCanManage(caller: { id: number; role: number }, owner: { id: number; role: number }): void;
}

const disabled: TakenAction = "disabled";
const statusOfVerb = {
  enable: tokenStatus.enabled,
  disable: tokenStatus.disabled,
  pause: tokenStatus.paused,
} as const;

export function buildBulkTokenRoutes(deps: BulkTokenRoutesDeps): ApiRoute[] {
  const { db, tokens, allTokens, outbox, isAway, checkCanManage } = deps;
  return [
    apiRoute(changeManyTokens, async (call) => {
      const { ids, verb, preview, pause_reason } = call.body;
      const { principal, now } = call;
      const rests = verb === "enable" && (await isAway(principal, now));
      const plan = await planBulk({
        ids,
        find: (reference) => tokens.find(principal.id, reference),
        missing: "token_not_found",
        nameOf: ({ name }) => name,
        step(token) {
          if (verb === "delete") return { writes: [tokens.remove(token)] };
          const asked = statusOfVerb[verb];
          const before = showStatus(token, now);
          if (before === asked) throw refuse("bulk_unchanged");
          const { status } = changeColumns(token, { status: asked }, now, principal.group);
          if (rests && wakesResting(token, status)) throw refuse("token_rests");
          const updated_at = Math.max(now, token.updated_at + 1);
          return {
            before: { status: before },
            after: { status },
            writes: [
              tokens.update(token, {
                ...buildStatusColumns(status, readPausing(principal, "owner", pause_reason), now),
                updated_at,
              }),
            ],
          };
        },
      });
      return runBulk(db, plan, { preview, changes: ["tokens"] });
    }),

    apiRoute(disableManyTokens, async (call) => {
      const { ids, preview } = call.body;
      const { principal, now } = call;
      const told: HeldTokenRow[] = [];
      const plan = await planBulk({
        ids,
        find: allTokens.find,
        missing: "token_not_found",
        nameOf: ({ username, name }) => `${username}: ${name}`,
        step(token) {
          const isOwn = token.user_id === principal.id;
          if (!isOwn) checkCanManage(principal, { id: token.user_id, role: token.role });
          if (token.status === tokenStatus.disabled) throw refuse("bulk_unchanged");
          if (!isOwn) told.push(token);
          const { uuid, name, username } = token;
          return {
            before: { status: showStatus(token, now) },
            after: { status: tokenStatus.disabled },
            writes: [
              allTokens.take(token, isOwn ? null : disabled, { status: tokenStatus.disabled }, now),
            ],
            audits: call.audit("token.disable", uuid, { name, owner: username }),
          };
        },
      });
      const reply = await runBulk(db, plan, { preview, changes: ["tokens"] });
      if (preview === true)
        await db.write(call.audit("token.list_all", "", { shown: reply.rows.length }));
      else
        for (const token of told)
          outbox.notify("token", token, (reader, site) =>
            composeTokenTakenMail(reader, site, { name: token.name, action: disabled }),
          );
      return reply;
    }),
  ];
}
