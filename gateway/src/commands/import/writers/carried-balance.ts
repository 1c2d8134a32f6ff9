/** What changed in the source of a balance that was carried: of an account, or of a team. */
import { grantWrites } from "../../../money/grant-writes.ts";
import { planOpeningDebtWrites } from "../../../money/opening-writes.ts";
import type { Write } from "../../../storage/database.ts";
import type { ImportRun } from "../import-run.ts";

/**
 * `planBalanceWrites` makes a debt of the amount that was spent there and is no longer free here.
 */
export async function planBalanceWrites(
  { db, now }: Pick<ImportRun, "db" | "now">,
  account: { wallet_id: number; balance: number; held: number },
  difference: number,
): Promise<Write[]> {
  const wallet = { id: account.wallet_id } as const;
  if (difference >= 0)
    return grantWrites(db, {
      id: db.mintId(),
      wallet,
      amount: difference,
      at: now,
      kind: "opening",
    });
  const taken = Math.min(-difference, account.balance - account.held);
  const [stored] = await db.read(
    db.sql.selectFrom("wallets").select("uuid").where("id", "=", account.wallet_id),
  );
  return [
    ...grantWrites(db, { id: db.mintId(), wallet, amount: -taken, at: now, kind: "opening" }),
    ...planOpeningDebtWrites(
      db,
      [{ id: db.mintId(), uuid: stored?.uuid ?? "", amount: -difference - taken }],
      now,
    ),
  ];
}
