/**
 * `GET /v1/run`: what the run of the asking program has cost, for a program that paces or reports
 * itself.
 */

import type { ReadRun } from "../../figures/runs/read-run.ts";
import type { KnownCall, ReplyToClient } from "../exchange-parts.ts";
import type { RunDeps } from "../runs/admit-run.ts";
import { findRequestedRun } from "../runs/requested-run.ts";
import { RelayRefused, refuseBadRequest } from "../wire/relay-refusal.ts";
import { sendJson } from "./json-endpoint.ts";
import { authenticateHolder, type HolderDeps } from "./key-usage.ts";

export interface ShowRunDeps extends HolderDeps, RunDeps {
  readRun: ReadRun;
}

/**
 * The run that the query names, else the one that the headers of calls name. Sums are of calls that
 * have ended, some a second late; quota is in units: 500,000 to the dollar.
 */
export async function showRun(
  exchange: KnownCall & ReplyToClient,
  deps: ShowRunDeps,
): Promise<void> {
  const caller = await authenticateHolder(exchange, deps);
  const { headers, url = "" } = exchange.request;
  const asked = new URLSearchParams(url.split("?")[1]).get("run");
  const run = asked ?? deps.runs.of(findRequestedRun(headers), caller)?.run;
  if (run === undefined) throw refuseWithoutName();
  const details = await deps.readRun(run, caller);
  if (!details) throw refuseUnknownRun();
  const { costs: _, username: _name, token_id: _token, ...shown } = details;
  sendJson(exchange, { object: "run", ...shown });
}

const refuseWithoutName = (): RelayRefused =>
  refuseBadRequest(
    "run_required",
    "Name the run with ?run=…, or send the headers with which your calls name it, such as x-tollgate-run",
  );

const refuseUnknownRun = (): RelayRefused =>
  new RelayRefused({
    status: 404,
    type: "invalid_request_error",
    code: "run_not_found",
    message: "No call of such a run has ended yet, or it belongs to another account",
  });
