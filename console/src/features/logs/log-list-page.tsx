import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type Log, listLogs, logSorts } from "@tollgate/contract/figures/logs.ts";
import { Trash } from "lucide-react";
import { lazy, Suspense, useMemo, useState } from "react";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { LazyTeamSwitch } from "../../components/teams/lazy-team-switch.tsx";
import { planTeamQuery, useTeamPayer } from "../../components/teams/team-payer.ts";
import { useLogText } from "../../components/texts/log-text.ts";
import { useUrlView } from "../../components/texts/url-view.ts";
import { useChoiceOwner } from "../../components/use-choice-owner.ts";
import { hasFeature, isAdmin, mayAdminister, useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { formatSeconds } from "../../ui/format.ts";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { Page } from "../../ui/page.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { DataTable } from "../../ui/table/data-table.tsx";
import { defaultView } from "../../ui/table/data-table-view.ts";
import { isColumnShown } from "../../ui/table/table-choice.ts";
import { useTableChoice } from "../../ui/table/use-table-choice.ts";
import { useBreakpoint } from "../../ui/use-breakpoint.ts";
import { ExportButtons } from "./export-buttons.tsx";
import { LiveSwitch } from "./live-switch.tsx";
import { logColumns, tagColumn } from "./log-columns.tsx";
import { LogFilterButton } from "./log-filter-button.tsx";
import { LogFilterPanel } from "./log-filter-panel.tsx";
import {
  buildLogQuery,
  filterFromSearch,
  filterToSearch,
  holdsKey,
  isFiltered,
  type LogFilterValues,
  noFilter,
  planEndingQuery,
} from "./log-filter-values.ts";
import { refreshLogFigures, useLogs } from "./log-queries.ts";
import { LogSearch } from "./log-search.tsx";
import { LogStatistics } from "./log-statistics.tsx";
import { LogViews } from "./log-views.tsx";
import { useTraceAddress } from "./trace-address.ts";

const TraceDialog = buildLazyPart(async () => (await import("./trace-dialog.tsx")).TraceDialog);
const ClearLogsDialog = buildLazyPart(
  async () => (await import("../../components/clear-logs-dialog.tsx")).ClearLogsDialog,
);

const LogFilterChips = buildLazyPart(
  async () => (await import("./log-filter-chips.tsx")).LogFilterChips,
);
const ProblemsCard = lazy(async () => ({
  default: (await import("./problems-card.tsx")).ProblemsCard,
}));

const defaults = { ...defaultView, size: 10, sort: "created_at" } as const;

export function LogListPage() {
  const { t } = useLingui();
  const textOf = useLogText();
  const { user } = useSession();
  const team = useTeamPayer();
  const admin = isAdmin(user) && team === undefined;
  const isMobile = useBreakpoint() === "mobile";
  const [view, setView] = useUrlView({ defaults, sorts: logSorts });
  const withOutcomes = hasFeature(useSession().status, "log_outcomes");
  const withTags = hasFeature(useSession().status, "tags");
  const columns = useMemo(
    () => logColumns(admin, withTags, team !== undefined),
    [admin, withTags, team],
  );
  const [filter, setFilter, isOfProblems] = useUrlFilter(withOutcomes, withTags);
  const [askedAt, setAskedAt] = useState(Date.now);
  const [clearing, setClearing] = useState(false);
  /** `isFiltering` is for a phone, where the filters are folded away. */
  const [isFiltering, setFiltering] = useState(false);
  const trace = useTraceAddress();
  const choiceOwner = useChoiceOwner(listLogs.path);
  const [choice] = useTableChoice(choiceOwner);
  // The default range moves with the clock.
  const now = Math.floor(askedAt / 1000);
  const query = {
    ...buildLogQuery(filter, now, admin),
    ...planEndingQuery(filter, isOfProblems),
    ...planTeamQuery(team),
  };
  const request = { query, keyword: filter.keyword, admin, askedAt };
  const logs = useLogs(request, view);
  const filtered = isFiltered(filter);
  const ask = async (next: LogFilterValues): Promise<void> => {
    // No address may hold a whole key: the calls of its token are shown instead.
    if (holdsKey(next))
      return (await import("./calls-of-key.ts")).askForCallsOfKey(
        next,
        admin,
        (kept) => void ask(kept),
      );
    setAskedAt(Date.now());
    setFilter(next);
  };
  const apply = (next: LogFilterValues) => {
    setFiltering(false);
    void ask(next);
  };
  const searchedBackTo = formatSeconds(logs.data?.searchedBackTo);

  return (
    <Page
      title={t`Logs`}
      subtitle={t`Every call with its cost, time and outcome`}
      action={
        <>
          <LazyTeamSwitch isOfAll />
          <ExportButtons
            shown={logs.data?.items ?? []}
            query={query}
            keyword={filter.keyword}
            admin={admin}
            isMobile={isMobile}
            withTags={withTags && isColumnShown(tagColumn, choice.columns)}
          />
          {admin && mayAdminister(user) && (
            <Button icon={<Trash />} onClick={() => setClearing(true)}>
              <Trans>Clear Logs</Trans>
            </Button>
          )}
        </>
      }
    >
      {withOutcomes && <LogViews isOfProblems={isOfProblems} />}
      {(!isMobile || isFiltering) && (
        <Card className="print:hidden">
          <LogFilterPanel
            key={JSON.stringify(filter)}
            filter={filter}
            nowSeconds={now}
            admin={admin}
            username={user?.username ?? ""}
            withOutcomes={withOutcomes}
            withTags={withTags}
            onApply={apply}
          />
        </Card>
      )}
      {isOfProblems && (
        <Suspense fallback={<Skeleton className="h-48" />}>
          <ProblemsCard request={request} filter={filter} onFilter={setFilter} />
        </Suspense>
      )}
      <DataTable
        label={t`Logs`}
        source={{ ...logs, refetch: () => setAskedAt(Date.now()) }}
        columns={columns}
        choiceOwner={choiceOwner}
        rowId={readEntityRef}
        rowName={(log) => formatRowName(log, textOf(log), isMobile)}
        view={view}
        onViewChange={setView}
        empty={t`No logs found. Adjust your filters or search criteria.`}
        filtered={false}
        emptyAction={
          filtered && (
            <Button onClick={() => setFilter(noFilter)}>
              <Trans>Clear filters</Trans>
            </Button>
          )
        }
        onRowOpen={(log) => trace.open(readEntityRef(log))}
        canRowOpen={(log) => log.trace_id !== ""}
        rowOpenLabel={<Trans>Show trace</Trans>}
        toolbar={
          <>
            <LogSearch
              searched={filter.keyword}
              onSearch={(keyword) => void ask({ ...filter, keyword })}
            />
            {isMobile && (
              <LogFilterButton
                filter={filter}
                isOpen={isFiltering}
                onToggle={() => setFiltering(!isFiltering)}
              />
            )}
            <LiveSwitch
              shown={logs.data?.items}
              query={query}
              keyword={filter.keyword}
              size={view.size}
              admin={admin}
              isAtTop={view.p === 0 && view.sort === "created_at" && view.order === "desc"}
              onNewRows={() => {
                void logs.refetch({ cancelRefetch: false });
                void refreshLogFigures(admin);
              }}
            />
            <LogStatistics request={request} />
            {isMobile && filtered && <LogFilterChips filter={filter} onChange={apply} />}
          </>
        }
      />
      {logs.data?.searchedBackTo !== undefined && logs.error === null && (
        <p className="text-muted text-sm">
          <Trans>Searched back to {searchedBackTo}. Narrow the range to search further.</Trans>
        </p>
      )}
      {trace.reference !== undefined && (
        <TraceDialog
          key={trace.reference}
          reference={trace.reference}
          log={logs.data?.items.find((log) => readEntityRef(log) === trace.reference)}
          onClose={trace.close}
        />
      )}
      {clearing && <ClearLogsDialog onClose={() => setClearing(false)} />}
    </Page>
  );
}

/** Starts with the first text of the row: the time in the table, the model in the mobile list. */
function formatRowName(log: Log, text: string, isMobile: boolean): string {
  const what = log.model_name || text;
  const time = formatSeconds(log.created_at);
  return isMobile ? what || time : `${time} ${what}`;
}

function useUrlFilter(withOutcomes: boolean, withTags: boolean) {
  const search: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const setFilter = (next: LogFilterValues) => {
    void navigate({
      to: ".",
      search: (before: Record<string, unknown>) => filterToSearch(before, next) as never,
    });
  };
  const named = filterFromSearch(search);
  // Another server would answer with all entries, as if each had that tag or outcome.
  const filter = withTags ? named : { ...named, tag: "" };
  if (!withOutcomes)
    return [{ ...filter, outcome: "", retried: "", slow: "" }, setFilter, false] as const;
  return [filter, setFilter, search.view === "problems"] as const;
}
