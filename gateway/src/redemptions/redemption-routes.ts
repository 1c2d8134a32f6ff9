/** What the API answers about redemption codes. */
import { named, type Reference } from "@tollgate/contract/ids.ts";
import {
  createRedemptions,
  deleteRedemption,
  getRedemption,
  listRedemptions,
  type RedemptionInput,
  redeemCode,
  redemptionStatus,
  searchRedemptions,
  updateRedemption,
  updateRedemptionStatus,
} from "@tollgate/contract/redemptions.ts";
import { answer, type Route } from "../http/answer.ts";
import type { Caller, Circumstances } from "../http/caller.ts";
import { once } from "../http/idempotency.ts";
import { refuse } from "../http/refusal.ts";
import type { Counters } from "../limits/counters.ts";
import type { Sealer } from "../secrets/seal.ts";
import type { Options } from "../settings/options.ts";
import { type Database, StaleWrite, type Write } from "../storage/database.ts";
import { uuid7 } from "../storage/time-ids.ts";
import type { UserStore } from "../users/user-store.ts";
import { redeemWith } from "./redeem-code.ts";
import {
  changedCode,
  codeContext,
  codePurpose,
  hashCode,
  newCode,
  revealCode,
  viewRedemption,
} from "./redemption-rules.ts";
import type { FoundRedemption, RedemptionStore } from "./redemption-store.ts";

type Call = Circumstances & { caller: Caller };

interface Parts {
  db: Database;
  redemptions: RedemptionStore;
  users: UserStore;
  options: Options;
  seal: Sealer;
  counters: Counters;
}

export function redemptionRoutes({ db, redemptions, users, options, seal, counters }: Parts): Route[] {
  const redeem = redeemWith({ db, redemptions, users, options, counters });

  const existing = async (reference: Reference): Promise<FoundRedemption> => {
    const code = await redemptions.find(reference);
    if (!code) throw refuse("redemption_not_found");
    return code;
  };

  const audit = ({ caller, address, now }: Call, action: string, target: string, change: Record<string, unknown>) =>
    db.audit({ at: now, actorId: caller.id, address, action, target, change });

  const write = (batch: Write[]) =>
    db.write(batch).catch((error: unknown) => {
      throw error instanceof StaleWrite ? refuse("changed_meanwhile") : error;
    });

  /** Answers the uuids; the codes are opened again for the reply, so that a repeated call shows the same ones. */
  const create = (call: Call & { body: RedemptionInput }) =>
    once(db, call, {
      name: "redemption.create",
      body: call.body,
      async create(remember) {
        const { name, quota, count } = call.body;
        const rows = Array.from({ length: count }, () => {
          const [uuid, code] = [uuid7(call.now), newCode()];
          return {
            uuid,
            user_id: call.caller.id,
            name,
            key_hash: hashCode(code),
            key_sealed: seal.seal(codePurpose, codeContext(uuid), code),
            status: redemptionStatus.unused,
            quota,
            created_at: call.now,
            updated_at: call.now,
          };
        });
        const uuids = rows.map(({ uuid }) => uuid).join(",");
        const audits = audit(call, "redemption.create", rows[0]?.uuid ?? "", { name, quota, count });
        await db.write([redemptions.insert(rows), ...remember(uuids), ...audits]);
        return uuids;
      },
    });

  const change = async (call: Call, reference: Reference, said: Parameters<typeof changedCode>[1]) => {
    const code = await existing(reference);
    const columns = changedCode(code, said);
    const updated_at = Math.max(call.now, code.updated_at + 1);
    await write([
      redemptions.update(code, { ...columns, updated_at }),
      ...audit(call, "redemption.update", code.uuid, columns),
    ]);
    return viewRedemption({ ...code, ...columns, updated_at }, seal);
  };

  const list = async ({ query }: { query: Parameters<typeof redemptions.page>[0] }) => {
    const { rows, ...total } = await redemptions.page(query);
    return { data: rows.map((code) => viewRedemption(code, seal)), ...total };
  };

  return [
    answer(listRedemptions, list),
    answer(searchRedemptions, list),
    answer(getRedemption, async ({ params }) => viewRedemption(await existing(params.id), seal)),
    answer(createRedemptions, async (call) => {
      const made = await redemptions.withUuids((await create(call)).split(","));
      return made.map((code) => revealCode(code, seal));
    }),
    answer(updateRedemption, (call) => change(call, named(call.body), call.body)),
    answer(updateRedemptionStatus, (call) => change(call, named(call.body), { status: call.body.status })),
    answer(deleteRedemption, async (call) => {
      const code = await existing(call.params.id);
      const { uuid, name, quota, status } = code;
      await write([redemptions.remove(code), ...audit(call, "redemption.delete", uuid, { name, quota, status })]);
    }),
    answer(redeemCode, (call) => redeem(call.body.key, call)),
  ];
}
