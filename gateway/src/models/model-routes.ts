/** Which models somebody may use, and the groups that decide it. */
import { listAvailableModels, listGroups } from "@tollgate/contract/users.ts";
import { groupNames } from "../groups/group-rules.ts";
import { answer, type Route } from "../http/answer.ts";
import type { Options } from "../settings/options.ts";
import type { Database } from "../storage/database.ts";

const parts = (text: string) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);

/** Stored JSON that cannot be read hides nothing. */
function hiddenIn(text: string | null): Set<unknown> {
  try {
    const hidden: unknown = JSON.parse(text || "[]");
    return new Set(Array.isArray(hidden) ? hidden : []);
  } catch {
    return new Set();
  }
}

export const modelRoutes = ({ sql, read }: Database, options: Options): Route[] => [
  answer(listGroups, () => groupNames(options)),
  answer(listAvailableModels, async ({ caller }) => {
    const channels = await read(
      sql.selectFrom("channels").select(["models", "hidden_models", "group"]).where("status", "=", 1),
    );
    const usable = channels
      .filter(({ group }) => parts(group).includes(caller.group))
      .flatMap(({ models, hidden_models }) => {
        const hidden = hiddenIn(hidden_models);
        return parts(models).filter((model) => !hidden.has(model));
      });
    return [...new Set(usable)].sort();
  }),
];
