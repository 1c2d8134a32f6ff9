/**
 * Calls that a dual run leaves to the gateway of before alone: they would spend or store something
 * here.
 */
import { RelayRefused } from "../wire/relay-refusal.ts";
import type { ShadowRuns } from "./shadow-runs.ts";

/** Throws `RelayRefused` while a dual run is on. */
export function refuseInShadow(shadow: Pick<ShadowRuns, "current">): void {
  if (!shadow.current()) return;
  throw new RelayRefused({
    status: 503,
    type: "service_unavailable",
    code: "dual_run",
    message:
      "Files, batches, tools and realtime sessions are not served during the dual run with the gateway of before; use that one",
  });
}
