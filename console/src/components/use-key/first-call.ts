import { useQuery } from "@tanstack/react-query";
import { listFailedTries } from "@tollgate/contract/figures/failed-calls.ts";
import { type Log, listOwnLogs, logTypes } from "@tollgate/contract/figures/logs.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { hasFeature, useSession } from "../../session.ts";

const askEveryMs = 2_000;
/** Clocks of browser and gateway may differ by this much. */
const clockSlackSeconds = 60;

/**
 * Waits for the first call with a token, and for attempts that failed before they had a log row. It
 * also asks while the page is hidden: the user is in a terminal.
 */
export function useFirstCall(tokenName: string) {
  const [sinceSeconds] = useState(() => Math.floor(Date.now() / 1000) - clockSlackSeconds);
  const query = { token_name: tokenName, start_timestamp: sinceSeconds, size: 5, p: 0 };
  // A compatible server may ignore the filter. A refused call is a failed attempt, which `tries`
  // explains.
  const ofToken = (logs: readonly Log[]) =>
    logs.filter(
      ({ type, token_name, created_at }) =>
        type !== logTypes.refused && token_name === tokenName && created_at >= sinceSeconds,
    );
  const calls = useQuery({
    ...api.query(listOwnLogs, { query }),
    refetchInterval: (state) =>
      ofToken(state.state.data?.data ?? []).length > 0 ? false : askEveryMs,
    refetchIntervalInBackground: true,
    select: ({ data }) => ofToken(data),
  });
  const first = calls.data?.at(-1);
  const tries = useQuery({
    ...api.query(listFailedTries, { query: { since: sinceSeconds * 1000 } }),
    enabled: hasFeature(useSession().status, "failed_tries"),
    refetchInterval: first === undefined ? askEveryMs : false,
    refetchIntervalInBackground: true,
    select: ({ data }) => data,
  });
  return {
    call: first,
    failedTry: first === undefined && tries.error === null ? tries.data?.[0] : undefined,
  };
}
