/** What the typed values of a token's form amount to. Pure. */
import { addressBlocks } from "../../compat/token-compat.ts";

/** Chosen models that no channel of the owner's group serves. `offered` is empty while it is not known. */
export const unofferedModels = (chosen: readonly string[], offered: readonly string[]): string[] =>
  offered.length === 0 ? [] : chosen.filter((model) => !offered.includes(model));

/** How many addresses and ranges of addresses a typed restriction names. */
export function addressCount(subnet: string): number {
  const blocks = addressBlocks(subnet);
  return blocks === "" ? 0 : blocks.split(",").length;
}
