/**
 * Writes gateway/src/money/prices/output-limits.json: the longest answers of the models in the
 * price lists, which the price package does not state. `node scripts/update-output-limits.ts --file FILE
 * --source SOURCE` takes them from a file in the format of LiteLLM's `model_prices_and_context_window.json`;
 * SOURCE names the package that it comes from.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { type OutputLimits, readPriceLists } from "../gateway/src/money/prices/price-lists.ts";
import { litellmNames, litellmOptions } from "./litellm-names.ts";
import { readScriptOptions } from "./script-options.ts";

const {
  values: { file, source },
} = readScriptOptions({
  command: "node scripts/update-output-limits.ts",
  summary: "writes the longest answers of the models in the price lists",
  options: litellmOptions,
});
if (file === "" || source === "") throw new Error("--file and --source are needed");
const stated = JSON.parse(readFileSync(file, "utf8")) as Record<
  string,
  { max_output_tokens?: unknown; mode?: unknown }
>;
const textModes: readonly unknown[] = ["chat", "responses", "completion"];

function limitOf(names: readonly string[]): number | undefined {
  for (const name of names) {
    const { max_output_tokens: limit, mode } = stated[name] ?? {};
    if (
      textModes.includes(mode) &&
      typeof limit === "number" &&
      Number.isSafeInteger(limit) &&
      limit > 0
    )
      return limit;
  }
  return undefined;
}

const sellers = [...readPriceLists()].flatMap(([seller, list]) => {
  const found = [...list.keys()].flatMap((model): [string, number][] => {
    const limit = limitOf(litellmNames[seller]?.(model) ?? []);
    return limit === undefined ? [] : [[model, limit]];
  });
  return found.length === 0
    ? []
    : [[seller, Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)))] as const];
});
const limits: OutputLimits = {
  source,
  read_on: new Date().toISOString().slice(0, 10),
  sellers: Object.fromEntries(sellers),
};
writeFileSync(
  new URL("../gateway/src/money/prices/output-limits.json", import.meta.url),
  `${JSON.stringify(limits, null, 1)}\n`,
);
for (const [seller, models] of sellers)
  console.log(`${seller}: ${Object.keys(models).length} models`);
