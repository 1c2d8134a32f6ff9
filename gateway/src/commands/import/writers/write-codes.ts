/**
 * Writes redemption codes: what was printed and sold can be redeemed here, and what was redeemed
 * there cannot.
 */

import { redemptionStatus } from "@tollgate/contract/accounts/redemptions.ts";
import type { ImportLossReason } from "@tollgate/contract/commands/import-losses.ts";
import {
  codePurpose,
  composeCodeContext,
  hashCode,
} from "../../../accounts/redemptions/redemption-rules.ts";
import { planCarriedRedemption } from "../../../money/opening-writes.ts";
import type { Write } from "../../../storage/database.ts";
import { readUuid7 } from "../../../storage/time-ids.ts";
import type { SourceCode } from "../import-items.ts";
import {
  commit,
  findCarried,
  type ImportRun,
  type ImportWrite,
  leave,
  leaveUnread,
  splitIntoBatches,
} from "../import-run.ts";
import type { ImportedItem } from "../import-store.ts";

export async function writeCodes(run: ImportRun): Promise<void> {
  for await (const page of run.source.codes()) {
    run.seen.presence.note("code", page);
    run.seen.presence.witness("code", page, ({ code }) => hashCode(code));
    for (const batch of splitIntoBatches(page)) {
      const items = batch.flatMap(({ item }) => item ?? []);
      const known = await findCarried(run, "code", batch);
      const users = await run.imported.known(
        "user",
        items.flatMap(({ makerSourceId, redeemerSourceId }) => [
          makerSourceId,
          redeemerSourceId ?? "0",
        ]),
      );
      const idOf = (sourceId: string | undefined): number | undefined =>
        users.get(sourceId ?? "")?.ourId;
      const taken = await readTakenCodes(run, items);
      const rows: ImportWrite[] = [];
      for (const reading of batch) {
        const { sourceId, item: code, losses } = reading;
        const before = known.get(sourceId);
        if (!code) leaveUnread(run, "code", reading, before !== undefined);
        else if (before) rows.push(await changeCode(run, sourceId, code, before));
        else if (taken.has(hashCode(code.code))) {
          const reason: ImportLossReason = "key_taken";
          leave(run, { entity: "code" }, [
            ...losses,
            { entity: "code", sourceId, name: code.name, field: "", reason, value: "" },
          ]);
        } else {
          taken.add(hashCode(code.code));
          run.report.lose(...losses);
          rows.push(
            buildCode(run, sourceId, code, {
              maker: idOf(code.makerSourceId),
              redeemer: idOf(code.redeemerSourceId),
            }),
          );
        }
      }
      await commit(run, rows);
    }
  }
}

export async function readTakenCodes(
  { db }: Pick<ImportRun, "db">,
  codes: readonly SourceCode[],
): Promise<Set<string>> {
  if (codes.length === 0) return new Set();
  const hashes = codes.map(({ code }) => hashCode(code));
  const rows = await db.read(
    db.sql.selectFrom("redemptions").select("key_hash").where("key_hash", "in", hashes),
  );
  return new Set(rows.map(({ key_hash }) => key_hash));
}

function buildCode(
  run: ImportRun,
  sourceId: string,
  code: SourceCode,
  { maker = 0, redeemer }: { maker: number | undefined; redeemer: number | undefined },
): ImportWrite {
  const { db, seal, now } = run;
  const uuid = readUuid7(now);
  const isUsed = code.status === redemptionStatus.used;
  const billingId = db.mintId();
  const createdAt = code.createdAtMs ?? now;
  const row = {
    uuid,
    user_id: maker,
    name: code.name,
    key_hash: hashCode(code.code),
    key_sealed: seal.seal(codePurpose, composeCodeContext(uuid), code.code),
    status: code.status,
    quota: code.quota,
    created_at: createdAt,
    updated_at: now,
    ...(isUsed && {
      redeemed_at: code.redeemedAtMs ?? createdAt,
      redeemed_by: redeemer ?? null,
      billing_id: billingId,
    }),
  };
  const writes = [
    run.redemptions.insert([row]),
    ...(isUsed ? planCarriedRedemption(db, { id: billingId, amount: code.quota, at: now }) : []),
    run.imported.remember("code", "redemptions", [
      { uuid, sourceId, state: { status: code.status, updatedAt: now } },
    ]),
  ];
  return { entity: "code", sourceId, name: code.name, outcome: "added", writes };
}

/** A code that was redeemed or disabled there meanwhile must not be redeemed here as well. */
async function changeCode(
  run: ImportRun,
  sourceId: string,
  code: SourceCode,
  { ourId, state }: ImportedItem,
): Promise<ImportWrite> {
  const { db, now } = run;
  const row = { entity: "code", sourceId, name: code.name } as const;
  if (code.status === state.status) return { ...row, outcome: "unchanged", writes: [] };
  const unused = db.sql
    .updateTable("redemptions")
    .where("id", "=", ourId)
    .where("status", "=", redemptionStatus.unused);
  const [stored] = await db.read(
    db.sql.selectFrom("redemptions").select("status").where("id", "=", ourId),
  );
  const billingId = db.mintId();
  const change: Write[] =
    code.status === redemptionStatus.used
      ? [
          {
            query: unused.set({
              status: redemptionStatus.used,
              redeemed_at: code.redeemedAtMs ?? now,
              billing_id: billingId,
              updated_at: now,
            }),
            rows: 1,
          },
          ...planCarriedRedemption(db, { id: billingId, amount: code.quota, at: now }),
        ]
      : [{ query: unused.set({ status: redemptionStatus.disabled, updated_at: now }), rows: 1 }];
  const isOpen = stored?.status === redemptionStatus.unused;
  if (!isOpen && code.status === redemptionStatus.used) {
    const reason: ImportLossReason = "changed_here";
    run.report.lose({ ...row, field: "status", reason, value: "" });
  }
  const after = { ...state, status: code.status, ...(isOpen && { updatedAt: now }) };
  const writes = [...(isOpen ? change : []), run.imported.put("code", sourceId, ourId, after)];
  return { ...row, outcome: "changed", writes };
}
