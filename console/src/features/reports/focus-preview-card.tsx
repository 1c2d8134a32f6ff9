import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { exportFocus } from "@tollgate/contract/figures/focus.ts";
import { Download } from "lucide-react";
import { requestCsv } from "../../api-call.ts";
import { ApiError } from "../../api-error.ts";
import { CardLoading } from "../../components/forms/form-loading.tsx";
import { buildDays } from "../../components/reports/report-months.ts";
import { planTeamQuery } from "../../components/teams/team-payer.ts";
import { basePath } from "../../site-path.ts";
import { buttonStyle } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { listCsvTable } from "./csv-table.ts";

const rowsShown = 20;
const cell = "whitespace-nowrap border-line border-b px-4 py-2 text-start";

type FocusPreviewCardProps = { month: string; admin: boolean; team: string | undefined };

/** The first rows of the FOCUS export of a month, and the way to all of them. */
export function FocusPreviewCard({ month, admin, team }: FocusPreviewCardProps) {
  const { t } = useLingui();
  const query = { ...buildDays(month), ...(admin && { user_id: "all" }), ...planTeamQuery(team) };
  const preview = useQuery({
    queryKey: ["focus preview", query],
    queryFn: async ({ signal }) => {
      const search = new URLSearchParams({ ...query, limit: String(rowsShown) });
      return listCsvTable(await (await requestCsv(exportFocus.path, search, signal)).text());
    },
    // The server may still compute the preview of the month that was shown before.
    retry: (failures, error) =>
      failures < 3 && error instanceof ApiError && error.code === "log_export_running",
    retryDelay: (_, error) => 1000 * ((error instanceof ApiError && error.retryAfterSeconds) || 5),
  });
  return (
    <Card
      title={<Trans>FOCUS for FinOps tools</Trans>}
      note={<Trans>The first {rowsShown} rows of the month, as the file has them.</Trans>}
      action={
        <a
          className={buttonStyle()}
          href={`${basePath}${exportFocus.path}?${new URLSearchParams(query)}`}
          download
        >
          <Download aria-hidden="true" />
          <Trans>Download</Trans>
        </a>
      }
      padded={false}
      className="print:hidden"
    >
      {preview.data === undefined ? (
        <div className="px-4 pb-4">
          <CardLoading source={preview} />
        </div>
      ) : (
        <FocusTable label={t`FOCUS for FinOps tools`} table={preview.data} />
      )}
    </Card>
  );
}

function FocusTable({ label, table: [names = [], ...rows] }: { label: string; table: string[][] }) {
  if (rows.length === 0)
    return (
      <p className="px-4 pt-2 pb-8 text-center text-muted">
        <Trans>No calls in this month</Trans>
      </p>
    );
  return (
    <ScrollRegion label={label} className="overflow-x-auto">
      <table aria-label={label} className="w-full border-separate border-spacing-0 text-sm">
        <thead>
          <tr className="text-muted">
            {names.map((name) => (
              <th key={name} scope="col" className={`${cell} border-t font-medium`}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="[&>tr:last-child>td]:border-b-0">
          {rows.map((row, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of a file have no id
            <tr key={place}>
              {names.map((name, column) => (
                <td key={name} className={cell}>
                  {row[column]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
