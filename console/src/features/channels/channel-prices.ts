/**
 * The prices of a channel's chosen models, by those typed in its form and the built-in ones. Pure.
 */
import { showPrice } from "./bulk-price.ts";
import { parseObject } from "./channel-json-text.ts";

/** `price` is input and output per million tokens; empty where neither list has one. */
export type ShownPrice = { model: string; price: string; isOwn: boolean };

/** `typed` and `builtIn` are texts of `model_configs`; a typed price wins. */
export function showPrices(
  models: readonly string[],
  typed: string,
  builtIn: string,
): ShownPrice[] {
  const [own, known] = [parseObject(typed) ?? {}, parseObject(builtIn) ?? {}];
  return models.map((model) => {
    const ownPrice = showModelPrice(own, model);
    return { model, price: ownPrice || showModelPrice(known, model), isOwn: ownPrice !== "" };
  });
}

function showModelPrice(prices: Record<string, unknown>, model: string): string {
  const config: unknown = Object.hasOwn(prices, model) ? prices[model] : undefined;
  if (typeof config !== "object" || config === null) return "";
  const { ratio, completion_ratio } = config as { ratio?: unknown; completion_ratio?: unknown };
  if (typeof ratio !== "number") return "";
  return showPrice({ ratio, ...(typeof completion_ratio === "number" && { completion_ratio }) });
}
