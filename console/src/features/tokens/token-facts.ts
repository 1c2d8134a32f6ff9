/** The facts that the typed values of a token's form amount to. Pure. */
import { listAddressBlocks } from "../../compat/token-compat.ts";

/**
 * Chosen models that no channel of the owner's group serves. `offered` is empty while it is not
 * known.
 */
export const listUnofferedModels = (
  chosen: readonly string[],
  offered: readonly string[],
): string[] => (offered.length === 0 ? [] : chosen.filter((model) => !offered.includes(model)));

/**
 * `computeAddressCount` says how many addresses and ranges of addresses a typed restriction names.
 */
export function computeAddressCount(subnet: string): number {
  const blocks = listAddressBlocks(subnet);
  return blocks === "" ? 0 : blocks.split(",").length;
}
