/** The run that a request says it belongs to. Pure. */
import type { IncomingHttpHeaders } from "node:http";
import { findAgent, findRun, type SentRun } from "./run-recognisers.ts";
import { countNewTools, type ToolRuns } from "./run-tools.ts";

export interface RequestedRun extends SentRun {
  agent: string;
  tools: ToolRuns | undefined;
}

/** Undefined for a call that names no run. */
export function findRequestedRun(
  headers: IncomingHttpHeaders,
  json?: unknown,
): RequestedRun | undefined {
  const run = findRun(headers, json);
  return run && { ...run, agent: findAgent(headers), tools: countNewTools(json) };
}
