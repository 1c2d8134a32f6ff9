/**
 * Figures in which causes that change by the day are looked for. They are read once an hour, for
 * alerts are looked for every few seconds.
 */
import { type ModelEnd, modelEndUseDays } from "@tollgate/contract/catalogue/model-ends.ts";
import type { Database } from "../../storage/database.ts";
import { computeDay } from "../../storage/rollups.ts";
import {
  type BilledChannel,
  type DailyFigures,
  type EndingUse,
  firstToldDays,
} from "./daily-causes.ts";
import { selectToldUsers } from "./own-alert-world-store.ts";

const readEveryMs = 3_600_000;
/** Users and models; what is beyond is told when these have ended. */
const usesMax = 5_000;

export interface DailyFigureSources {
  /** Models that are offered and end, with their use. */
  endingModels(now: number): Promise<ModelEnd[]>;
  /** `billedChannels` gives what providers billed lately. */
  billedChannels(now: number): Promise<BilledChannel[]>;
}

export interface DailyFiguresStore {
  figures(now: number): Promise<DailyFigures>;
}

export function createDailyFiguresStore(
  db: Pick<Database, "sql" | "read">,
  { endingModels, billedChannels }: DailyFigureSources,
): DailyFiguresStore {
  let known: { at: number; figures: DailyFigures } | undefined;

  async function usesOf(endings: readonly ModelEnd[], now: number): Promise<EndingUse[]> {
    const byModel = new Map(endings.map((ending) => [ending.model, ending]));
    if (byModel.size === 0) return [];
    const rows = await db.read(
      db.sql
        .selectFrom("rollup_day_user_model")
        .where("day", ">", computeDay(now) - modelEndUseDays)
        .where("model_name", "in", [...byModel.keys()])
        .where("user_id", "in", selectToldUsers(db))
        .groupBy(["user_id", "model_name"])
        .select(["user_id", "model_name"])
        .select(({ fn }) => fn.sum<number>("requests").as("calls"))
        .orderBy("calls", "desc")
        .limit(usesMax),
    );
    return rows.flatMap(({ user_id, model_name: model, calls }) => {
      const ending = byModel.get(model);
      if (ending === undefined) return [];
      const { ends_on, days_left, replacement } = ending;
      return [{ user_id, model, ends_on, days_left, replacement, calls: Number(calls) }];
    });
  }

  return {
    async figures(now) {
      // A clock that was set back reads anew.
      if (known && now >= known.at && now - known.at < readEveryMs) return known.figures;
      const all = await endingModels(now);
      // What has ended fails its calls, which is told besides.
      const endings = all.filter(({ days_left }) => days_left <= firstToldDays);
      const figures = {
        endings,
        endingUses: await usesOf(endings, now),
        bills: await billedChannels(now),
      };
      known = { at: now, figures };
      return figures;
    },
  };
}
