import { type LogProblem, logTypes, type OutcomeFilter } from "@tollgate/contract/figures/logs.ts";
import { refusedOutcome } from "../../components/failures/reason-series.ts";
import type { LogFilterValues } from "./log-filter-values.ts";

const filters: Readonly<Record<string, OutcomeFilter>> = {
  failed: "failed",
  cut: "cut",
  quota_ran_out: "cut",
  interrupted: "cut",
  client_left: "client_left",
};
/** The longest keyword that the gateway searches for. */
const keywordMax = 200;

/** The filter that shows the calls of a group, as narrow as the filter can be. */
export function buildProblemFilter(group: LogProblem, filter: LogFilterValues): LogFilterValues {
  const outcome = filters[group.outcome] ?? "";
  const isRefused = group.outcome === refusedOutcome;
  return {
    ...filter,
    outcome,
    type: isRefused ? String(logTypes.refused) : filter.type,
    // An answered call is a problem because it was sent again, or because it was slow.
    retried: outcome === "" && !isRefused && filter.slow === "" ? "1" : filter.retried,
    model_name: group.model_name,
    channel: group.channel > 0 ? String(group.channel) : filter.channel,
    keyword: group.content.slice(0, keywordMax).trim(),
  };
}
