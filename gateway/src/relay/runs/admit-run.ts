/**
 * The run of a call as it is admitted: found, and refused where its key requires one or its owner
 * has stopped it.
 */
import type { CallerIdentity, KeyRules } from "../admission/caller-parts.ts";
import type { CallNotes } from "../exchange-parts.ts";
import type { CallLabels } from "../formats/call-parts.ts";
import { noRetryHeaders, RelayRefused, refuseBadRequest } from "../wire/relay-refusal.ts";
import type { CallRuns } from "./call-runs.ts";
import { runTagKey } from "./run-recognisers.ts";

export interface RunDeps {
  runs: CallRuns;
}

/** Throws `RelayRefused`. */
export function admitRun(
  exchange: Pick<CallNotes, "learn">,
  { run: requested }: Pick<CallLabels, "run">,
  caller: Pick<CallerIdentity, "userId" | "teamId" | "tokenId"> & Pick<KeyRules, "tags">,
  { runs }: RunDeps,
): void {
  const run = runs.of(requested, caller);
  if (run) exchange.learn({ run });
  if (!run && caller.tags?.required.includes(runTagKey)) throw refuseWithoutRun();
  if (run && runs.isStopped(run.run)) throw refuseStoppedRun();
}

const refuseWithoutRun = (): RelayRefused =>
  refuseBadRequest(
    "run_required",
    "Calls of this API key must name the run of the agent that they belong to; send a name for each run as x-tollgate-run: …",
  );

/**
 * `refuseStoppedRun` has the form of refusals for money, with which agents stop and show the words:
 * only a person continues the run.
 */
const refuseStoppedRun = (): RelayRefused =>
  new RelayRefused({
    status: 403,
    type: "tollgate_error",
    code: "run_stopped",
    isOfMoney: true,
    message:
      "This run was stopped in the console. Its owner or an administrator can continue it on the page of the run",
    param: "",
    headers: [...noRetryHeaders],
  });
