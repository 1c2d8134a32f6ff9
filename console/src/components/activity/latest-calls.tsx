import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Log, listLogs, listOwnLogs } from "@tollgate/contract/figures/logs.ts";
import { type ReactNode, useState } from "react";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { isAdmin, useSession } from "../../session.ts";
import { Badge } from "../../ui/badge.tsx";
import { formatDurationMs } from "../../ui/format.ts";
import { LazyEmptyPicture } from "../../ui/lazy-empty-picture.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { FailedTable } from "../../ui/table/data-table-states.tsx";
import { Time } from "../../ui/time.tsx";
import { outcomeLabels } from "../failures/outcome-labels.ts";
import { Quota } from "../quota.tsx";
import { useLogText } from "../texts/log-text.ts";

/** The filter of the log, by the names in its address. */
export type CallFilter = Readonly<
  Partial<Record<"username" | "token_name" | "model_name" | "channel", string>>
>;

const shownMax = 5;
/** Older calls are found in the log. */
const reachS = 30 * 86_400;
const hourS = 3_600;

type LatestCallsProps = {
  filter: CallFilter;
  /** Shown over the rows, where there are some. */
  above?: ReactNode;
};

/** The newest calls that match, each with its trace. */
export function LatestCalls({ filter, above }: LatestCallsProps) {
  const { user } = useSession();
  // To the hour, so that a second visit finds the first one's reply.
  const [from] = useState(() => Math.floor(Date.now() / 1000 / hourS) * hourS - reachS);
  const calls = useQuery({
    ...api.query(isAdmin(user) ? listLogs : listOwnLogs, {
      query: { ...filter, start_timestamp: from, size: shownMax },
    }),
    select: ({ data }) => data.slice(0, shownMax),
  });
  if (calls.error !== null)
    return (
      <FailedTable
        error={calls.error}
        busy={calls.isFetching}
        onRetry={() => void calls.refetch()}
      />
    );
  if (calls.data === undefined) return <Skeleton className="h-32" />;
  if (calls.data.length === 0)
    return (
      <div className="flex flex-col gap-3 py-6 text-center text-muted">
        <LazyEmptyPicture scene="road" />
        <p>
          <Trans>No calls in the last 30 days</Trans>
        </p>
      </div>
    );
  return (
    <>
      {above}
      <ul className="divide-y divide-line text-sm">
        {calls.data.map((call) => (
          <CallRow key={readEntityRef(call)} call={call} filter={filter} />
        ))}
      </ul>
    </>
  );
}

function CallRow({ call, filter }: { call: Log; filter: CallFilter }) {
  const { t } = useLingui();
  const textOf = useLogText();
  // A change of a balance or of a channel is no call: it took no time, and most cost nothing.
  const isCall = call.model_name !== "";
  const outcome = call.outcome === "success" ? undefined : outcomeLabels[call.outcome];
  return (
    <li className="flex flex-wrap items-center gap-x-4 py-1.5">
      <Link
        to="/logs"
        search={{ ...filter, trace: readEntityRef(call) } as never}
        className="py-1 text-accent underline-offset-2 hover:underline"
      >
        <Time seconds={call.created_at} />
      </Link>
      {!isCall ? (
        <span
          dir="auto"
          className="min-w-0 grow basis-40 max-sm:basis-full [overflow-wrap:anywhere]"
        >
          {textOf(call)}
        </span>
      ) : filter.model_name === undefined ? (
        <span className="min-w-0 grow basis-40 max-sm:basis-28 truncate font-mono text-xs">
          {call.model_name}
        </span>
      ) : (
        <span dir="auto" className="min-w-0 grow basis-40 max-sm:basis-28 truncate">
          {call.token_name} <span className="text-muted">{call.username}</span>
        </span>
      )}
      {outcome !== undefined && <Badge tone={outcome.tone}>{t(outcome.label)}</Badge>}
      {(isCall || call.quota !== 0) && (
        <span className="ml-auto flex gap-4">
          <Quota units={call.quota} isOwn />
          <span className="w-16 text-end text-muted tabular-nums max-sm:empty:hidden">
            {isCall && formatDurationMs(call.elapsed_time || Number.NaN)}
          </span>
        </span>
      )}
    </li>
  );
}
