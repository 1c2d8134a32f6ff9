import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { type LogProblem, logTypes } from "@tollgate/contract/figures/logs.ts";
import clsx from "clsx";
import { useState } from "react";
import { findRequestId } from "../../api-error.ts";
import { ChartPictureMenu } from "../../components/chart-picture-menu.tsx";
import { FailureText } from "../../components/failures/failure-text.tsx";
import { findFailureWords } from "../../components/failures/failure-words.ts";
import { outcomeLabels } from "../../components/failures/outcome-labels.ts";
import { refusedOutcome } from "../../components/failures/reason-series.ts";
import { writeNotes } from "../../components/failures/usage-notes.ts";
import { Alert } from "../../ui/alert.tsx";
import { Badge, type BadgeTone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { formatInteger, formatSeconds } from "../../ui/format.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import type { LogFilterValues } from "./log-filter-values.ts";
import { type LogRequest, useProblems } from "./log-queries.ts";
import { readLogType } from "./log-types.ts";
import { buildProblemFilter } from "./problem-filter.ts";
import { ProblemsChart } from "./problems-chart.tsx";
import { useTraceAddress } from "./trace-address.ts";

/** The calls themselves stand below: a long tail of single calls would hide them. */
const groupsShownMax = 8;

type ProblemsCardProps = {
  request: LogRequest;
  filter: LogFilterValues;
  onFilter: (filter: LogFilterValues) => void;
};

/**
 * `ProblemsCard` shows what went wrong in the range, most calls first; each group opens its calls
 * or the trace of the newest one.
 */
export function ProblemsCard({ request, filter, onFilter }: ProblemsCardProps) {
  const { t } = useLingui();
  const { query, admin } = request;
  const problems = useProblems(request);
  const groups = problems.error === null ? problems.data?.groups : undefined;
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? groups : groups?.slice(0, groupsShownMax);
  const count = formatInteger(groups?.length);
  const most = Math.max(1, ...(groups ?? []).map(({ calls }) => calls || 0));
  const searchedBackTo = formatSeconds(problems.data?.searchedBackTo);
  return (
    <Card
      title={<Trans>What went wrong</Trans>}
      note={<Trans>Failed calls by reason, model and channel</Trans>}
      action={
        <ChartPictureMenu
          title={t`What went wrong`}
          period={`${formatSeconds(query.start_timestamp)} – ${formatSeconds(query.end_timestamp)}`}
        />
      }
    >
      {problems.error !== null ? (
        <Alert
          title={t`The problems could not be loaded`}
          requestId={findRequestId(problems.error)}
          onRetry={() => void problems.refetch()}
          retrying={problems.isFetching}
        >
          {problems.error.message}
        </Alert>
      ) : groups === undefined ? (
        <Skeleton className="h-32" />
      ) : groups.length === 0 ? (
        <p className="py-4 text-center text-muted">
          <Trans>No problems in this range.</Trans>
        </p>
      ) : (
        <div className="flex flex-col gap-4">
          {problems.data?.overTime !== undefined && (
            <ProblemsChart overTime={problems.data.overTime} isOfSlow={filter.slow !== ""} />
          )}
          <ol className="divide-y divide-line">
            {shown?.map((group) => (
              <ProblemRow
                key={group.last_uuid}
                group={group}
                most={most}
                admin={admin}
                isOfSlow={filter.slow !== ""}
                onShowCalls={() => onFilter(buildProblemFilter(group, filter))}
              />
            ))}
          </ol>
          {groups.length > groupsShownMax && !isWhole && (
            <div>
              <Button size="sm" onClick={() => setWhole(true)}>
                <Trans>Show all {count}</Trans>
              </Button>
            </div>
          )}
        </div>
      )}
      {groups !== undefined && problems.data?.searchedBackTo !== undefined && (
        <p className="mt-3 text-muted text-sm">
          <Trans>Searched back to {searchedBackTo}. Narrow the range to search further.</Trans>
        </p>
      )}
    </Card>
  );
}

const barColours: Readonly<Record<BadgeTone, string>> = {
  good: "bg-good",
  warn: "bg-warn",
  bad: "bg-bad",
  info: "bg-info",
  neutral: "bg-muted",
};

type ProblemRowProps = {
  group: LogProblem;
  most: number;
  admin: boolean;
  isOfSlow: boolean;
  onShowCalls: () => void;
};

function ProblemRow({ group, most, admin, isOfSlow, onShowCalls }: ProblemRowProps) {
  const { t } = useLingui();
  const trace = useTraceAddress();
  const known =
    group.outcome === refusedOutcome
      ? readLogType(logTypes.refused)
      : group.outcome === "success"
        ? undefined
        : outcomeLabels[group.outcome];
  const tone = known?.tone ?? "warn";
  // An answered call is here because it was sent again, or because slow ones were asked for.
  const label = known !== undefined ? t(known.label) : isOfSlow ? t`Slow` : t`Retried`;
  // What is written to a call that broke off without a failure of the provider is about its bill.
  const isReason =
    group.outcome === "failed" ||
    group.outcome === refusedOutcome ||
    findFailureWords(group.content) !== undefined;
  const calls = formatInteger(group.calls);
  const model = group.model_name;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] items-start gap-x-4 gap-y-2 py-3 first:pt-0 last:pb-0 sm:grid-cols-[5rem_minmax(0,1fr)_auto]">
      <div className="flex items-baseline gap-2 sm:block">
        <span className="font-semibold text-lg tabular-nums">{calls}</span>{" "}
        <span className="text-muted text-sm">
          <Plural value={group.calls} one="call" other="calls" />
        </span>
        <span
          aria-hidden="true"
          className="mt-1 hidden h-1 overflow-hidden rounded-full bg-line sm:block"
        >
          <span
            className={clsx("block h-full rounded-full", barColours[tone])}
            style={{ width: `${((group.calls || 0) / most) * 100}%` }}
          />
        </span>
      </div>
      <div className="flex min-w-0 flex-col gap-1">
        <div className="flex min-w-0 flex-wrap items-baseline gap-x-2 gap-y-1">
          <Badge tone={tone}>{label}</Badge>
          <span className="min-w-0 break-all font-mono text-sm">{model}</span>
          {group.channel_name !== undefined && group.channel_name !== "" && (
            <span dir="auto" className="min-w-0 text-muted text-sm [overflow-wrap:anywhere]">
              {group.channel_name}
            </span>
          )}
        </div>
        {group.content !== "" && (
          <div className="text-sm">
            {isReason ? (
              <FailureText text={group.content} />
            ) : (
              <span className="text-muted">{writeNotes(group.content, t)}</span>
            )}
          </div>
        )}
        <p className="text-muted text-sm">
          <Time seconds={group.first_at} />
          {group.last_at !== group.first_at && (
            <>
              {" – "}
              <Time seconds={group.last_at} />
            </>
          )}
          {admin && !Number.isNaN(group.users) && (
            <>
              {" · "}
              <Plural value={group.users} one="1 user" other="# users" />
            </>
          )}
        </p>
      </div>
      <div className="flex gap-2">
        <Button size="sm" aria-label={t`Show calls of ${model}`} onClick={onShowCalls}>
          <Trans>Show calls</Trans>
        </Button>
        <Button
          size="sm"
          variant="ghost"
          aria-label={t`Newest trace of ${model}`}
          onClick={() => trace.open(group.last_uuid)}
        >
          <Trans>Newest trace</Trans>
        </Button>
      </div>
    </li>
  );
}
