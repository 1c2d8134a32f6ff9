/** The charge that an answer of the gateway of before states. Pure. */
import type { IncomingHttpHeaders } from "node:http";
import { quotaMax } from "@tollgate/contract/api/scalars.ts";
import { unitsPerDollar } from "../../money/prices/price.ts";

/** Ids are short words. */
const idForm = /^[\w.:-]{1,100}$/;

/** The id under which a gateway of the one-api family logs the call; empty where it names none. */
export function readShadowId({ "x-oneapi-request-id": id }: IncomingHttpHeaders): string {
  return typeof id === "string" && idForm.test(id) ? id : "";
}

/**
 * LiteLLM tells the cost of a whole answer in dollars. Units; null where the answer does not tell.
 */
export function computeShadowCharge({
  "x-litellm-response-cost": cost,
}: IncomingHttpHeaders): number | null {
  if (typeof cost !== "string" || cost.trim() === "") return null;
  const units = Math.round(Number(cost) * unitsPerDollar);
  return Number.isFinite(units) && units >= 0 && units <= quotaMax ? units : null;
}
