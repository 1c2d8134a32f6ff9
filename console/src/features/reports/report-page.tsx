import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import {
  exportMonthReport,
  getMonthReport,
  type ReportKind,
  reportKinds,
} from "@tollgate/contract/figures/reports.ts";
import { Download, Printer } from "lucide-react";
import { useRef, useState } from "react";
import { findRequestId, readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { SubjectBudgetsCard } from "../../components/budgets/budgets-card.tsx";
import { MonthSelect } from "../../components/reports/month-select.tsx";
import { readMonth } from "../../components/reports/report-months.ts";
import { LazyTeamSwitch } from "../../components/teams/lazy-team-switch.tsx";
import { planTeamQuery, useTeamPayer } from "../../components/teams/team-payer.ts";
import { useUrlText } from "../../components/texts/url-view.ts";
import { hasFeature, isAdmin, useSession } from "../../session.ts";
import { ReportHead } from "../../shell/report-head.tsx";
import { basePath } from "../../site-path.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, buttonStyle } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { formatInteger } from "../../ui/format.ts";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { Menu, MenuItem } from "../../ui/menu/menu.tsx";
import { Page } from "../../ui/page.tsx";
import { LoadingStatus, Skeleton } from "../../ui/skeleton.tsx";
import { useBreakpoint } from "../../ui/use-breakpoint.ts";
import { ReportFigures, ReportFoot } from "./report-document.tsx";
import { ReportTable } from "./report-table.tsx";

const FocusPreviewCard = buildLazyPart(
  async () => (await import("./focus-preview-card.tsx")).FocusPreviewCard,
);

/** The address says `by=tag:team`. */
const tagPrefix = "tag:";

/** `ReportPage` shows what was spent in a month: a page to print, and a CSV. */
export function ReportPage() {
  const { t } = useLingui();
  const { user, status } = useSession();
  const team = useTeamPayer();
  /** `admin` means: the report of all users. */
  const admin = isAdmin(user) && team === undefined;
  const [hasFocus, setHasFocus] = useState(false);
  const offersFocus = hasFeature(status, "focus_export");
  const isNarrow = useBreakpoint() === "mobile";
  const csv = useRef<HTMLAnchorElement>(null);
  const [monthText, setMonth] = useUrlText("month");
  const [byText, setBy] = useUrlText("by");
  const month = readMonth(monthText, Date.now());
  const kinds: readonly ReportKind[] = admin
    ? reportKinds.filter((kind) => kind !== "tag")
    : team === undefined
      ? ["key", "model"]
      : ["user", "key", "model"];
  const tagKey = admin && byText.startsWith(tagPrefix) ? byText.slice(tagPrefix.length) : undefined;
  const by =
    tagKey === undefined ? (kinds.find((kind) => kind === byText) ?? kinds[0] ?? "model") : "tag";
  const query = {
    month,
    by,
    ...(tagKey !== undefined && { tag_key: tagKey }),
    ...(admin && { user_id: "all" as const }),
    ...planTeamQuery(team),
  };
  const report = useQuery(api.query(getMonthReport, { query }));
  const { data } = report.data ?? {};
  const isShown = report.error === null && data !== undefined;
  const tagName = (key: string) => t`Tag ${key}`;
  const names: Record<ReportKind, string> = {
    user: t`Users`,
    key: t`Keys`,
    model: t`Models`,
    channel: t`Channels`,
    tag: tagName(tagKey ?? ""),
  };
  /** `choices` go by the text of the address. */
  const choices = [
    ...kinds.map((kind): [string, string] => [kind, names[kind]]),
    ...(data?.tag_keys ?? []).map((key): [string, string] => [tagPrefix + key, tagName(key)]),
  ];
  const chosen = tagKey === undefined ? by : tagPrefix + tagKey;
  const count = formatInteger(data?.rows.length ?? 0);
  return (
    <>
      <ReportHead />
      <Page
        title={t`Report of ${month}`}
        subtitle={
          team !== undefined
            ? t`What the team spent in the month. Days are UTC.`
            : admin
              ? t`What all users spent in the month. Days are UTC.`
              : t`What you spent in the month. Days are UTC.`
        }
        action={
          <div className="flex flex-wrap gap-2 print:hidden">
            <LazyTeamSwitch isOfAll />
            <Button icon={<Printer />} onClick={() => window.print()}>
              <Trans>Print</Trans>
            </Button>
            <a
              ref={csv}
              className={`${buttonStyle()} max-md:hidden`}
              href={`${basePath}${exportMonthReport.path}?${new URLSearchParams(query)}`}
              download={`report-${month}-by-${by}.csv`}
            >
              <Download aria-hidden="true" />
              <Trans>CSV of all rows</Trans>
            </a>
            {isNarrow ? (
              <Menu
                align="start"
                trigger={
                  <Button icon={<Download />}>
                    <Trans>Export</Trans>
                  </Button>
                }
              >
                <MenuItem onSelect={() => csv.current?.click()}>
                  <Trans>CSV of all rows</Trans>
                </MenuItem>
                {offersFocus && (
                  <MenuItem onSelect={() => setHasFocus(true)}>
                    <Trans>FOCUS for FinOps tools</Trans>
                  </MenuItem>
                )}
              </Menu>
            ) : (
              offersFocus && (
                <Button aria-expanded={hasFocus} onClick={() => setHasFocus(!hasFocus)}>
                  <Trans>FOCUS for FinOps tools</Trans>
                </Button>
              )
            )}
          </div>
        }
      >
        <div className="flex flex-wrap items-end gap-4 print:hidden">
          <MonthSelect month={month} onChange={setMonth} />
          {/* biome-ignore lint/a11y/useSemanticElements: switches in a row are no form */}
          <div role="group" aria-label={t`Spending by`} className="flex flex-wrap gap-1">
            {choices.map(([value, label]) => (
              <Button
                key={value}
                size="sm"
                variant="ghost"
                aria-pressed={value === chosen}
                onClick={() => setBy(value)}
                className="aria-pressed:bg-accent-soft aria-pressed:text-accent"
              >
                {label}
              </Button>
            ))}
          </div>
        </div>
        {isShown && data.rows.length > 0 && <ReportFigures total={data.total} />}
        {hasFocus && <FocusPreviewCard {...{ month, admin, team }} />}
        {admin && by === "model" && <SubjectBudgetsCard subject="model" />}
        {tagKey !== undefined && (
          <SubjectBudgetsCard
            subject="tag"
            isShown={({ subject_name }) => subject_name.startsWith(`${tagKey}=`)}
          />
        )}
        {report.error !== null && (
          <Alert
            title={t`The report could not be loaded`}
            requestId={findRequestId(report.error)}
            onRetry={() => void report.refetch()}
            retrying={report.isFetching}
          >
            {readReason(report.error, "")}
          </Alert>
        )}
        {report.error === null && (
          <Card
            title={names[by]}
            note={
              isShown && !data.is_finished ? <Trans>The month has not ended.</Trans> : undefined
            }
            padded={false}
          >
            {!isShown ? (
              <div className="px-4 pb-4">
                <LoadingStatus />
                <Skeleton className="h-64" />
              </div>
            ) : data.rows.length === 0 ? (
              <p className="px-4 pt-2 pb-8 text-center text-muted">
                <Trans>No calls in this month</Trans>
              </p>
            ) : (
              <ReportTable
                by={by}
                isOfTeam={team !== undefined}
                label={names[by]}
                rows={data.rows}
                total={data.total}
              />
            )}
            {isShown && data.is_cut && (
              <p className="border-line border-t px-4 py-3 text-muted text-sm">
                <Trans>The {count} that spent most are shown. The CSV has all.</Trans>
              </p>
            )}
          </Card>
        )}
        <ReportFoot month={month} />
      </Page>
    </>
  );
}
