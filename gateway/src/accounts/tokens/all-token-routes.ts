/**
 * API routes for the tokens of all users. Administrators see and stop keys, and never read them.
 */
import {
  confirmTokenNotices,
  disableAnyToken,
  findAnyToken,
  type HeldToken,
  listAllTokens,
  listTokenNotices,
  pauseAnyToken,
  replaceAnyToken,
  type TakenAction,
} from "@tollgate/contract/accounts/all-tokens.ts";
import { tokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import { named, type Reference } from "@tollgate/contract/api/ids.ts";
import type { AuditAction } from "@tollgate/contract/site/audit-actions.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext, Principal } from "../../http/request-context.ts";
import { composeTokenTakenMail } from "../../notices/mail/mail-messages.ts";
import type { MailOutbox } from "../../notices/mail/mail-outbox.ts";
import type { Sealer } from "../../secrets/seal.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import type { Database } from "../../storage/database.ts";
import type { AllTokenStore, HeldTokenRow } from "./all-token-store.ts";
import { viewHeld } from "./held-token-view.ts";
import { issueKey } from "./issue-key.ts";
import { noOldKey } from "./key-rotation-rules.ts";
import { buildStatusColumns, readPausing } from "./pause-rules.ts";

const auditActions = {
  disabled: "token.disable",
  paused: "token.pause",
  resumed: "token.resume",
  replaced: "token.replace",
} as const satisfies Record<TakenAction | "resumed", AuditAction>;

interface AllTokenRoutesDeps {
  db: Database;
  tokens: AllTokenStore;
  seal: Sealer;
  options: OptionReader;
  outbox: MailOutbox;
  /** Refuses accounts that the caller may not change. */
  checkCanManage(caller: Principal, owner: { id: number; role: number }): void;
}

export function buildAllTokenRoutes({
  db,
  tokens,
  seal,
  options,
  outbox,
  checkCanManage,
}: AllTokenRoutesDeps): ApiRoute[] {
  const tokenInReach = async (
    call: AuthenticatedContext,
    reference: Reference,
  ): Promise<HeldTokenRow> => {
    const token = await tokens.find(reference);
    if (!token) throw refuse("token_not_found");
    if (token.user_id !== call.principal.id)
      checkCanManage(call.principal, { id: token.user_id, role: token.role });
    return token;
  };

  /** Changes a token and records it; the owner is told, unless it is the caller. */
  const take = async (
    call: AuthenticatedContext,
    token: HeldTokenRow,
    action: TakenAction | "resumed",
    change: Parameters<AllTokenStore["take"]>[2],
    reason?: string,
  ): Promise<HeldToken> => {
    const isOwn = token.user_id === call.principal.id;
    const isTold = !isOwn && action !== "resumed";
    const { uuid, name, username } = token;
    await db.write(
      [
        tokens.take(token, isTold ? action : null, change, call.now),
        ...call.audit(auditActions[action], uuid, {
          name,
          owner: username,
          ...(reason && { reason }),
        }),
      ],
      { changes: ["tokens"] },
    );
    if (isTold)
      outbox.notify("token", token, (reader, site) =>
        composeTokenTakenMail(reader, site, { name, action }),
      );
    return viewHeld(await tokenInReach(call, { id: token.id }), call.now);
  };

  return [
    apiRoute(listAllTokens, async (call) => {
      const { rows, ...total } = await tokens.page(call.query, call.now);
      const { keyword = "", p = 0 } = call.query;
      await db.write(call.audit("token.list_all", "", { keyword, page: p, shown: rows.length }));
      return { data: rows.map((row) => viewHeld(row, call.now)), ...total };
    }),
    apiRoute(findAnyToken, async (call) => {
      const token = await tokens.byHash(call.body.key_hash);
      await db.write(call.audit("token.find", token?.uuid ?? "", { found: token !== undefined }));
      return token ? [viewHeld(token, call.now)] : [];
    }),
    apiRoute(disableAnyToken, async (call) => {
      const token = await tokenInReach(call, named(call.body));
      return take(call, token, "disabled", { status: tokenStatus.disabled });
    }),
    apiRoute(pauseAnyToken, async (call) => {
      const { paused, pause_reason } = call.body;
      const token = await tokenInReach(call, named(call.body));
      if (paused === (token.status === tokenStatus.paused)) return viewHeld(token, call.now);
      if (token.status === tokenStatus.disabled) throw refuse("token_disabled");
      const by = token.user_id === call.principal.id ? "owner" : "administrator";
      const pausing = readPausing(call.principal, by, pause_reason);
      const change = buildStatusColumns(
        paused ? tokenStatus.paused : tokenStatus.enabled,
        pausing,
        call.now,
      );
      return take(call, token, paused ? "paused" : "resumed", change, pause_reason);
    }),
    apiRoute(replaceAnyToken, async (call) => {
      // Otherwise the owner, too, could never read the new key.
      if (!options.flag("TokenKeyRevealEnabled")) throw refuse("token_keys_hidden");
      const token = await tokenInReach(call, named(call.body));
      // A key that an administrator replaces may have leaked, so that nothing of it works on, nor
      // of the one before it.
      return take(call, token, "replaced", {
        ...issueKey(seal, token.uuid),
        ...noOldKey,
        key_made_at: call.now,
      });
    }),
    apiRoute(listTokenNotices, ({ principal }) => tokens.notices(principal.id)),
    apiRoute(confirmTokenNotices, async ({ principal, body }) => {
      await db.write([tokens.confirmNotices(principal.id, body.until)]);
    }),
  ];
}
