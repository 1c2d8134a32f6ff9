/** SQL on models that end: who offers them, and who called them lately. */
import {
  type ModelEnd,
  modelEndUseDays,
  type OwnModelEnd,
} from "@tollgate/contract/catalogue/model-ends.ts";
import type { Database } from "../../storage/database.ts";
import { computeDay } from "../../storage/rollups.ts";
import { endsOf, type ListedEnds } from "./known-model-ends.ts";
import { findEndingModels, formatEndingNames } from "./model-end-rules.ts";
import { createModelFactStore } from "./model-fact-store.ts";
import { listVisibleModels, parseJson, parseNames } from "./model-rules.ts";
import { listTargets, parseStoredRules } from "./virtual-model-rules.ts";

/** `modelsMax` bounds one answer, and the names of one query; the first to end come first. */
const modelsMax = 500;

export interface ModelEndStore {
  /**
   * Models on enabled channels that end within a year, or have ended, with how many calls they
   * answered.
   */
  ending(now: number): Promise<ModelEnd[]>;
  /** `endingFor` is about the names that clients in this group may call. */
  endingFor(group: string, now: number): Promise<OwnModelEnd[]>;
}

export function createModelEndStore(
  { sql, read }: Pick<Database, "sql" | "read">,
  listed: ListedEnds,
): ModelEndStore {
  const facts = createModelFactStore({ sql, read });
  const offers = async () => {
    const columns = [
      "id",
      "uuid",
      "name",
      "type",
      "models",
      "hidden_models",
      "model_mapping",
      "group",
    ] as const;
    const rows = await read(
      sql.selectFrom("channels").select(columns).where("status", "=", 1).orderBy("id"),
    );
    return rows.map((row) => ({
      ...row,
      models: listVisibleModels(row),
      mapping: parseJson<Record<string, string>>(row.model_mapping, {}),
    }));
  };
  async function useOf(models: readonly string[], now: number) {
    if (models.length === 0) return [];
    return await read(
      sql
        .selectFrom("rollup_day_user_model")
        .where("day", ">", computeDay(now) - modelEndUseDays)
        .where("model_name", "in", models)
        .groupBy("model_name")
        .select(["model_name"])
        .select(({ fn }) => [
          fn.sum<number>("requests").as("calls"),
          fn.count<number>("user_id").distinct().as("users"),
        ]),
    );
  }

  return {
    async ending(now) {
      const endOf = endsOf(listed, await facts.stated());
      const virtual = await read(
        sql
          .selectFrom("virtual_models")
          .select(["name", "rules"])
          .where("enabled", "=", 1)
          .orderBy("name"),
      );
      const found = findEndingModels(
        endOf,
        await offers(),
        virtual.map((row) => ({ name: row.name, targets: listTargets(parseStoredRules(row)) })),
        now,
      ).slice(0, modelsMax);
      const used = new Map(
        (await useOf([...new Set(found.map(({ model }) => model))], now)).map((row) => [
          row.model_name,
          row,
        ]),
      );
      return found.map((row) => {
        const { calls = 0, users = 0 } = used.get(row.model) ?? {};
        return { ...row, calls: Number(calls), users: Number(users) };
      });
    },

    async endingFor(group, now) {
      const offered = await offers();
      const open = offered.filter((row) => parseNames(row.group).includes(group));
      return formatEndingNames(endsOf(listed, await facts.stated()), open, now).slice(0, modelsMax);
    },
  };
}
