/**
 * Writes virtual models by the rules of the console. One that was carried before is left as it is.
 */
import { virtualModelInput } from "@tollgate/contract/catalogue/virtual-models.ts";
import * as z from "zod/mini";
import { servedNames } from "../../../catalogue/models/model-rules.ts";
import {
  buildColumns,
  buildOtherVirtualModels,
  checkVirtualModel,
  listTargets,
  type OtherVirtualModels,
} from "../../../catalogue/models/virtual-model-rules.ts";
import { Refusal } from "../../../http/refusal.ts";
import { readUuid7 } from "../../../storage/time-ids.ts";
import type { SourceVirtualModel } from "../import-items.ts";
import { commit, type ImportRun, leave } from "../import-run.ts";

export async function writeVirtualModels(run: ImportRun): Promise<void> {
  const taken: TakenModelNames = {
    served: servedNames(await run.virtualModels.servedModels()),
    // In a plan, those of this run are not stored.
    others: buildOtherVirtualModels(await run.virtualModels.all()),
  };
  for await (const page of run.source.virtualModels()) {
    const ids = page.map(({ sourceId }) => sourceId);
    const known = await run.imported.known("model", ids);
    for (const { sourceId, item, losses } of page) {
      if (!item) {
        if (losses.length > 0) leave(run, { entity: "model" }, losses);
      } else if (known.has(sourceId)) {
        const isSame = known.get(sourceId)?.state.input === JSON.stringify(item.input);
        if (!isSame)
          run.report.lose({
            entity: "model",
            sourceId,
            name: item.name,
            field: "",
            reason: "changed_in_source",
            value: "",
          });
        run.report.count("model", "unchanged");
      } else {
        run.report.lose(...losses);
        await writeVirtualModel(run, taken, { sourceId, ...item });
      }
    }
  }
}

interface TakenModelNames {
  served: Pick<ReadonlySet<string>, "has">;
  others: OtherVirtualModels;
}

async function writeVirtualModel(
  run: ImportRun,
  taken: TakenModelNames,
  { sourceId, name, input }: SourceVirtualModel & { sourceId: string },
): Promise<void> {
  const { virtualModels, imported, now } = run;
  const refused = (value: string): void =>
    leave(run, { entity: "model" }, [
      { entity: "model", sourceId, name, field: "", reason: "row_refused", value },
    ]);
  const parsed = z.safeParse(virtualModelInput, input);
  if (!parsed.success) return refused(parsed.error.issues[0]?.message ?? "");
  try {
    checkVirtualModel(parsed.data, taken.served, taken.others);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return refused(error.message);
  }
  const { count, names, targets } = taken.others;
  taken.others = {
    count: count + 1,
    names: names.union(new Set([name])),
    targets: targets.union(new Set(listTargets(parsed.data))),
  };
  const uuid = readUuid7(now);
  await commit(run, [
    {
      entity: "model",
      sourceId,
      name,
      outcome: "added",
      writes: [
        virtualModels.insert({
          uuid,
          ...buildColumns(parsed.data),
          managed_by: "",
          created_at: now,
          updated_at: now,
        }),
        imported.remember("model", "virtual_models", [
          { uuid, sourceId, state: { input: JSON.stringify(input) } },
        ]),
      ],
    },
  ]);
}
