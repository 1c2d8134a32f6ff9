/** API routes for redemption codes. */

import {
  createRedemptions,
  deleteRedemption,
  findRedemption,
  getRedemption,
  listRedemptions,
  putRedemption,
  type RedemptionByExternalId,
  type RedemptionInput,
  redeemCode,
  redemptionInput,
  searchRedemptions,
  updateRedemption,
  updateRedemptionStatus,
} from "@tollgate/contract/accounts/redemptions.ts";
import { named, type Reference } from "@tollgate/contract/api/ids.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { idempotentCreation, showsSecretAgain } from "../../http/idempotency.ts";
import { seesSecrets } from "../../http/management-key-access.ts";
import { findNamedChanges } from "../../http/member-changes.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import { parseOrRefuse } from "../../http/validation-errors.ts";
import type { Counters } from "../../limits/counters.ts";
import type { Sealer } from "../../secrets/seal.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import type { Database } from "../../storage/database.ts";
import type { UserStore } from "../identity/users/user-store.ts";
import type { Issuance } from "../quota-requests/issuance.ts";
import { createRedeem } from "./redeem-code.ts";
import { changeCode, makeCodes, showCode, viewRedemption } from "./redemption-rules.ts";
import type { RedemptionStore, RedemptionWithUsers } from "./redemption-store.ts";

interface RedemptionRoutesDeps {
  db: Database;
  redemptions: RedemptionStore;
  users: UserStore;
  options: OptionReader;
  seal: Sealer;
  counters: Counters;
  issuance: Issuance;
}

/** The remembered result of a creation that exceeded the limit of its administrator. */
const waiting = "waits for root";

export function buildRedemptionRoutes({
  db,
  redemptions,
  users,
  options,
  seal,
  counters,
  issuance,
}: RedemptionRoutesDeps): ApiRoute[] {
  const redeem = createRedeem({ db, redemptions, users, options, counters });

  const existing = async (reference: Reference): Promise<RedemptionWithUsers> => {
    const code = await redemptions.find(reference);
    if (!code) throw refuse("redemption_not_found");
    return code;
  };

  /**
   * Returns the uuids, or `waiting` where they wait for root. The reply opens the stored codes, so
   * that a repetition shows the same ones for a while.
   */
  const create = (call: AuthenticatedContext & { body: RedemptionInput }) =>
    idempotentCreation(db, call, {
      name: "redemption.create",
      body: call.body,
      async create(remember) {
        const { name, quota, count, external_id } = call.body;
        const rows = makeCodes(call.body, call.principal.id, call.now, seal);
        const uuids = rows.map(({ uuid }) => uuid).join(",");
        const audits = call.audit("redemption.create", rows[0]?.uuid ?? "", { name, quota, count });
        const issue = {
          kind: "codes",
          target_uuid: "",
          name,
          quota,
          count,
          amount: quota * count,
        } as const;
        const batch = [redemptions.insert(rows), ...remember(uuids), ...audits];
        if (external_id) {
          // A program repeats what was refused: each repetition would wait for root beside the one
          // before.
          await issuance.issueMany(call, issue.amount, batch);
          return uuids;
        }
        const ended = await issuance.issue(call, issue, { batch, otherwise: remember(waiting) });
        return ended === "issued" ? uuids : waiting;
      },
    });

  const change = async (
    call: AuthenticatedContext,
    code: RedemptionWithUsers,
    edit: Parameters<typeof changeCode>[1],
  ) => {
    const columns = changeCode(code, edit);
    const updated_at = Math.max(call.now, code.updated_at + 1);
    const { quota } = columns;
    const issue = { kind: "code", target_uuid: code.uuid, name: "", quota, count: 1 } as const;
    const ended = await issuance.issue(
      call,
      { ...issue, amount: quota - code.quota },
      {
        batch: [
          redemptions.update(code, { ...columns, updated_at }),
          ...call.audit("redemption.update", code.uuid, findNamedChanges(code, columns)),
        ],
      },
    );
    if (ended === "waits") throw refuse("quota_waits_for_root");
    return viewRedemption({ ...code, ...columns, updated_at }, seal, seesSecrets(call.principal));
  };

  const put = async (
    call: AuthenticatedContext,
    external_id: string,
    { status, ...body }: RedemptionByExternalId,
  ) => {
    const code = await redemptions.byExternalId(external_id);
    if (!code) {
      const made = await create({
        ...call,
        body: parseOrRefuse(redemptionInput, { ...body, external_id }),
      });
      const row = await existing({ uuid: made.reference });
      const isWhole = seesSecrets(call.principal) || showsSecretAgain(made.madeAt, call.now);
      if (status !== undefined && status !== row.status) await change(call, row, { status });
      return viewRedemption(await existing({ id: row.id }), seal, isWhole);
    }
    const isAsAsked = Object.entries({ ...body, status }).every(
      ([member, value]) => value === undefined || value === code[member as keyof typeof code],
    );
    return isAsAsked
      ? viewRedemption(code, seal, seesSecrets(call.principal))
      : change(call, code, { ...body, status });
  };

  const list = async ({
    query,
    principal,
  }: AuthenticatedContext & { query: Parameters<typeof redemptions.page>[0] }) => {
    const { rows, ...total } = await redemptions.page(query);
    return {
      data: rows.map((code) => viewRedemption(code, seal, seesSecrets(principal))),
      ...total,
    };
  };

  return [
    apiRoute(listRedemptions, list),
    apiRoute(searchRedemptions, list),
    apiRoute(findRedemption, async ({ body, principal }) => {
      const found = await redemptions.byHash(body.key_hash);
      return found
        ? [viewRedemption(await existing({ id: found.id }), seal, seesSecrets(principal))]
        : [];
    }),
    apiRoute(getRedemption, async ({ params, principal }) =>
      viewRedemption(await existing(params.id), seal, seesSecrets(principal)),
    ),
    apiRoute(createRedemptions, async (call) => {
      const { reference: uuids, madeAt } = await create(call);
      if (uuids === waiting) throw refuse("quota_waits_for_root");
      const created = await redemptions.withUuids(uuids.split(","));
      const isWhole = seesSecrets(call.principal) || showsSecretAgain(madeAt, call.now);
      return created.map((code) => showCode(code, seal, isWhole));
    }),
    apiRoute(updateRedemption, async (call) =>
      change(call, await existing(named(call.body)), call.body),
    ),
    apiRoute(updateRedemptionStatus, async (call) =>
      change(call, await existing(named(call.body)), { status: call.body.status }),
    ),
    apiRoute(putRedemption, (call) => put(call, call.params.external_id, call.body)),
    apiRoute(deleteRedemption, async (call) => {
      const code = await existing(call.params.id);
      const { uuid, name, quota, status } = code;
      await db.write([
        redemptions.remove(code),
        ...call.audit("redemption.delete", uuid, { name, quota, status }),
      ]);
    }),
    apiRoute(redeemCode, (call) => redeem(call.body.key, call)),
  ];
}
