import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import type { ReportRow } from "@tollgate/contract/figures/reports.ts";
import {
  exportTeamStatement,
  getTeamStatement,
  type StatementKind,
  type TeamStatement,
} from "@tollgate/contract/figures/team-statement.ts";
import { Download, Printer } from "lucide-react";
import type { ReactNode } from "react";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { CardLoading } from "../../components/forms/form-loading.tsx";
import { MonthSelect } from "../../components/reports/month-select.tsx";
import { readMonth } from "../../components/reports/report-months.ts";
import type { TeamTabProps } from "../../components/teams/team-rights.ts";
import { useUrlText } from "../../components/texts/url-view.ts";
import { buildQuotaStyle, useSession } from "../../session.ts";
import { ReportHead } from "../../shell/report-head.tsx";
import { basePath } from "../../site-path.ts";
import { Button, buttonStyle } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { formatInteger, formatQuota } from "../../ui/format.ts";
import { SmallTable } from "../../ui/table/small-table.tsx";

/** What came into the wallet, and what went out of it besides the charges of calls. */
const receivedLabels = {
  transfer: msg`Transfers into the team`,
  redemption: msg`Redeemed codes`,
  grant: msg`New quota`,
  adjustment: msg`Corrections`,
  opening: msg`Imported balance`,
  waiver: msg`Borne by the operator`,
} satisfies Record<StatementKind, MessageDescriptor>;
const givenLabels = {
  ...receivedLabels,
  transfer: msg`Transfers out of the team`,
  grant: msg`Quota taken back`,
};
/** A newer server may know a kind that has no words here. */
type LineLabels = Readonly<Record<string, MessageDescriptor>>;

/** `TeamStatementTab` shows the month of the team's wallet: a page to print, and a CSV. */
export function TeamStatementTab({ team }: TeamTabProps) {
  const { t } = useLingui();
  const [monthText, setMonth] = useUrlText("month");
  const month = readMonth(monthText, Date.now());
  const params = { id: readEntityRef(team) };
  const statement = useQuery(api.query(getTeamStatement, { params, query: { month } }));
  const shown = statement.error === null ? statement.data?.data : undefined;
  const address = exportTeamStatement.path.replace(":id", params.id);
  return (
    <div className="flex flex-col gap-4">
      <ReportHead />
      <div className="flex flex-wrap items-end justify-between gap-3 print:hidden">
        <MonthSelect month={month} onChange={setMonth} />
        <div className="flex flex-wrap gap-2">
          <Button icon={<Printer />} onClick={() => window.print()}>
            <Trans>Print</Trans>
          </Button>
          <a
            className={buttonStyle()}
            href={`${basePath}${address}?${new URLSearchParams({ month })}`}
            download={`statement-${month}.csv`}
          >
            <Download aria-hidden="true" />
            <Trans>CSV</Trans>
          </a>
        </div>
      </div>
      <Card
        title={t`Statement of ${month}`}
        note={
          shown !== undefined && !shown.is_finished ? (
            <Trans>The month has not ended. Days are UTC.</Trans>
          ) : (
            <Trans>Days are UTC.</Trans>
          )
        }
      >
        {shown === undefined ? (
          <CardLoading source={statement} />
        ) : (
          <StatementTable statement={shown} />
        )}
      </Card>
      {shown !== undefined && <StatementSpending statement={shown} />}
    </div>
  );
}

type StatementRow = {
  label: ReactNode;
  /** Of entries or calls; undefined for a balance. */
  count?: number;
  quota: number;
  isBalance?: boolean;
};

function StatementTable({ statement }: { statement: TeamStatement }) {
  const { t } = useLingui();
  const nameOf = (labels: LineLabels, kind: string) => {
    const label = labels[kind];
    return label === undefined ? kind : t(label);
  };
  const calls = statement.members.reduce((sum, { requests }) => sum + requests, 0);
  const rows: StatementRow[] = [
    { label: t`Opening balance`, quota: statement.opening_balance, isBalance: true },
    ...statement.received.map(({ kind, entries, quota }) => ({
      ...{ label: nameOf(receivedLabels, kind), count: entries, quota },
    })),
    { label: t`Spent by calls`, count: calls, quota: -statement.spent },
    ...statement.given.map(({ kind, entries, quota }) => ({
      ...{ label: nameOf(givenLabels, kind), count: entries, quota: -quota },
    })),
    { label: t`Closing balance`, quota: statement.closing_balance, isBalance: true },
  ];
  return (
    <>
      <StatementRows label={t`Balance of the month`} name={t`Entry`} rows={rows} />
      {Math.min(statement.opening_balance, statement.closing_balance) < 0 && (
        <p className="pt-2 text-muted text-sm">
          <Trans>A balance below zero is what the team owes.</Trans>
        </p>
      )}
    </>
  );
}

function StatementSpending({ statement }: { statement: TeamStatement }) {
  const { t } = useLingui();
  const parts: { title: string; rows: readonly ReportRow[]; nameless: string }[] = [
    { title: t`Spent by members`, rows: statement.members, nameless: t`Service keys` },
    { title: t`Spent by keys`, rows: statement.keys, nameless: t`Deleted or moved` },
    { title: t`Spent by models`, rows: statement.models, nameless: t`Deleted` },
  ];
  return parts.map(({ title, rows, nameless }) => (
    <Card key={title} title={title}>
      {rows.length === 0 ? (
        <p className="py-8 text-center text-muted">
          <Trans>No calls in this month</Trans>
        </p>
      ) : (
        <StatementRows
          label={title}
          name={t`Name`}
          rows={[
            ...rows.map(({ name, owner, requests, quota }) => ({
              label: owner === "" ? name || nameless : `${name || nameless} (${owner})`,
              ...{ count: requests, quota },
            })),
            {
              ...{ label: t`Total`, quota: statement.spent, isBalance: true },
              count: rows.reduce((sum, { requests }) => sum + requests, 0),
            },
          ]}
        />
      )}
    </Card>
  ));
}

/** `figureStyle` puts the figures of all tables of the page below each other. */
const figureStyle = "numeric px-3 md:w-52";

type StatementRowsProps = { label: string; name: string; rows: readonly StatementRow[] };

/** Units are exact; dollars stand before them where the site shows currency. */
function StatementRows({ label, name, rows }: StatementRowsProps) {
  const { t } = useLingui();
  const style = buildQuotaStyle(useSession().status);
  const figures = [t`Count`, ...(style.inCurrency ? [t`US dollars`] : []), t`Quota units`];
  return (
    <SmallTable label={label} words={[name]} figures={figures}>
      <tbody>
        {rows.map(({ label: text, count, quota, isBalance }, place) => (
          <tr
            // biome-ignore lint/suspicious/noArrayIndexKey: rows keep their order, and names may be alike
            key={place}
            className={`border-line border-t print:break-inside-avoid ${isBalance ? "font-semibold" : ""}`}
          >
            <th
              scope="row"
              dir="auto"
              className={`min-w-32 px-3 py-2 text-start [overflow-wrap:anywhere] ${isBalance ? "" : "font-normal"}`}
            >
              {text}
            </th>
            <td className={figureStyle}>{count === undefined ? "" : formatInteger(count)}</td>
            {style.inCurrency && <td className={figureStyle}>{formatQuota(quota, style)}</td>}
            <td className={figureStyle}>{formatInteger(quota)}</td>
          </tr>
        ))}
      </tbody>
    </SmallTable>
  );
}
