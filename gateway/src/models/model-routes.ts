/** Which models somebody may use and what they cost, and the groups that decide it. */
import { listDisplayedModels } from "@tollgate/contract/models.ts";
import { listAvailableModels, listGroups } from "@tollgate/contract/users.ts";
import { offeredGroups } from "../groups/group-rules.ts";
import { answer, type Route } from "../http/answer.ts";
import type { PriceBook } from "../money/price-book.ts";
import type { Options } from "../settings/options.ts";
import type { Database } from "../storage/database.ts";
import { modelCatalogue } from "./model-catalogue.ts";
import { namesIn, visibleModels } from "./model-rules.ts";

export function modelRoutes(db: Database, options: Options, book: PriceBook): Route[] {
  const { sql, read } = db;
  const displayed = modelCatalogue(db, book);
  return [
    answer(listGroups, () => offeredGroups(options)),
    answer(listAvailableModels, async ({ caller }) => {
      const channels = await read(
        sql.selectFrom("channels").select(["models", "hidden_models", "group"]).where("status", "=", 1),
      );
      const usable = channels.filter(({ group }) => namesIn(group).includes(caller.group)).flatMap(visibleModels);
      return [...new Set(usable)].sort();
    }),
    answer(listDisplayedModels, ({ caller }) => displayed(caller)),
  ];
}
