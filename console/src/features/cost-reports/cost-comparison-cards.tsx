import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import {
  type ComparedCost,
  type CostComparison,
  type CostDay,
  type CostFigures,
  type CostReport,
  compareCostReport,
} from "@tollgate/contract/figures/cost-reports.ts";
import { findRequestId } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { Alert } from "../../ui/alert.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { formatInteger, formatOwnDollars, formatPercent, missing } from "../../ui/format.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { SmallTable } from "../../ui/table/small-table.tsx";

const microsPerDollar = 1_000_000;

/** The finished days by model, and every day. */
export function CostComparisonCards({ report }: { report: CostReport }) {
  const { t } = useLingui();
  const compared = useQuery({
    ...api.query(compareCostReport, { params: { id: report.channel_id } }),
    select: (reply) => reply.data,
  });
  if (compared.error !== null) {
    return (
      <Alert
        title={t`The costs could not be loaded`}
        requestId={findRequestId(compared.error)}
        onRetry={() => void compared.refetch()}
        retrying={compared.isFetching}
      >
        {compared.error.message}
      </Alert>
    );
  }
  if (compared.data === undefined) return <Skeleton className="h-64" />;
  const { days, models, total } = compared.data;
  if (days.length === 0) {
    return (
      <Card>
        <p className="py-4 text-center text-muted">
          <Trans>No days read yet.</Trans>
        </p>
      </Card>
    );
  }
  const closedDays = days.filter(({ state }) => state === "closed").length;
  return (
    <>
      <Card
        title={<Trans>Finished days</Trans>}
        note={
          <Trans>
            The sum of <Plural value={closedDays} one="# day" other="# days" /> of the last 30,
            without the ratios of groups
          </Trans>
        }
      >
        <Sums total={total} />
        <ComparedTable
          label={t`Finished days by model`}
          head={t`Model`}
          rows={models.map(buildModelRow)}
        />
      </Card>
      <Card
        title={<Trans>By day</Trans>}
        note={
          <Trans>
            A day stays open for 24 hours after its end, because providers still add to it. Finished
            days without costs are left out.
          </Trans>
        }
      >
        <ComparedTable
          label={t`Costs by day`}
          head={t`Day (UTC)`}
          rows={days.filter(isShown).map(buildDayRow)}
        />
      </Card>
    </>
  );
}

function Sums({ total: { charged, reported, ...difference } }: { total: CostComparison["total"] }) {
  const { t } = useLingui();
  const sums = [
    { label: t`Charged here`, text: readCost(charged) },
    { label: t`Provider reports`, text: readCost(reported) },
    { label: t`Difference`, text: formatDifferenceText({ charged, reported, ...difference }) },
  ];
  return (
    <dl className="mb-4 grid gap-x-6 gap-y-3 sm:grid-cols-3">
      {sums.map(({ label, text }) => (
        <div key={label}>
          <dt className="text-muted text-sm">{label}</dt>
          <dd className="font-semibold text-lg tabular-nums">{text}</dd>
        </div>
      ))}
    </dl>
  );
}

interface ComparedRow {
  id: string;
  names: readonly string[];
  state?: CostDay["state"];
  compared: ComparedCost;
}

const buildModelRow = (compared: ComparedCost): ComparedRow => ({
  id: compared.models.join("\n"),
  names: compared.models,
  compared,
});
const buildDayRow = ({ day, state, total }: CostDay): ComparedRow => ({
  id: day,
  names: [day],
  state,
  compared: total,
});

const isShown = ({ state, total: { charged, reported } }: CostDay): boolean =>
  state !== "closed" || charged !== null || reported !== null;

type ComparedTableProps = { label: string; head: string; rows: readonly ComparedRow[] };

function ComparedTable({ label, head, rows }: ComparedTableProps) {
  const { t } = useLingui();
  const states = { open: t`Open`, incomplete: t`Log rows deleted` };
  const heads = [
    t`Our tokens`,
    t`Their tokens`,
    t`Charged here`,
    t`Provider reports`,
    t`Difference`,
  ];
  return (
    <SmallTable label={label} words={[head]} figures={heads}>
      <tbody>
        {rows.map(({ id, names, state, compared }) => (
          <tr key={id} className="border-line border-t hover:bg-hover">
            <th scope="row" className="px-3 py-2 text-start font-normal">
              {names.map((name) => (
                <span key={name} className="block min-w-32 font-mono [overflow-wrap:anywhere]">
                  {name}
                </span>
              ))}
              {state !== undefined && state !== "closed" && (
                <Badge tone={state === "open" ? "info" : "warn"}>{states[state]}</Badge>
              )}
            </th>
            <td className="numeric whitespace-nowrap px-3">{formatTokens(compared.charged)}</td>
            <td className="numeric whitespace-nowrap px-3">{formatTokens(compared.reported)}</td>
            <td className="numeric whitespace-nowrap px-3">{readCost(compared.charged)}</td>
            <td className="numeric whitespace-nowrap px-3">{readCost(compared.reported)}</td>
            <td className="numeric whitespace-nowrap px-3">{formatDifferenceText(compared)}</td>
          </tr>
        ))}
      </tbody>
    </SmallTable>
  );
}

const readCost = (side: CostFigures | null): string =>
  side === null || side.cost_micros === null
    ? missing
    : formatOwnDollars(side.cost_micros / microsPerDollar);

/** Prompt and answer. */
const formatTokens = (side: CostFigures | null): string =>
  side === null || side.prompt_tokens === null
    ? missing
    : `${formatInteger(side.prompt_tokens)} + ${formatInteger(side.completion_tokens)}`;

type CostDifference = Omit<ComparedCost, "models">;

function formatDifferenceText({ difference_micros, difference_percent }: CostDifference): string {
  if (difference_micros === null) return missing;
  const amount = formatOwnDollars(difference_micros / microsPerDollar);
  const signed = difference_micros > 0 ? `+${amount}` : amount;
  const hasPercent = difference_percent !== null && Number.isFinite(difference_percent);
  return hasPercent ? `${signed} (${formatPercent(difference_percent, 0, 2)})` : signed;
}
