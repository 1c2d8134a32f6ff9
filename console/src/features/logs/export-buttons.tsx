import { Trans, useLingui } from "@lingui/react/macro";
import type { Log } from "@tollgate/contract/logs.ts";
import { Download, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { reasonOf } from "../../api-error.ts";
import { Button } from "../../ui/button.tsx";
import { formatDate, formatInteger } from "../../ui/format.ts";
import { toast } from "../../ui/toast.tsx";
import { saveCsv, toCsv } from "./log-csv.ts";
import { exportPageSize, readAll } from "./log-export.ts";
import type { LogQuery } from "./log-filter.ts";
import { type LogView, readLogs } from "./log-queries.ts";
import { logTypeOf } from "./log-types.ts";

type ExportButtonsProps = {
  shown: readonly Log[];
  query: LogQuery;
  keyword: string;
  view: LogView;
  admin: boolean;
};

/** What is on the page, or everything that matches. */
export function ExportButtons({ shown, query, keyword, view, admin }: ExportButtonsProps) {
  const { t } = useLingui();
  const [rows, setRows] = useState<number | null>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);

  const save = (logs: readonly Log[], name: string) => {
    const stamp = formatDate(new Date()).replace(/[ :]/g, "-");
    saveCsv(
      `${name}-${stamp}.csv`,
      toCsv(logs, (type) => t(logTypeOf(type).label)),
    );
  };
  const saveAll = async () => {
    const stopping = new AbortController();
    stop.current = stopping;
    setRows(0);
    const fixed = { ...query, end_timestamp: Math.min(query.end_timestamp, Math.floor(Date.now() / 1000)) };
    const page = (p: number) => readLogs(fixed, keyword, { ...view, p, size: exportPageSize }, admin, stopping.signal);
    try {
      save(await readAll(page, setRows, stopping.signal), "logs-all");
    } catch (error) {
      if (!stopping.signal.aborted) {
        toast(t`The export stopped`, { tone: "bad", detail: reasonOf(error, t`Operation failed`) });
      }
    }
    setRows(null);
  };
  const count = formatInteger(rows ?? 0);
  return (
    <>
      <Button icon={<Download />} disabled={shown.length === 0} onClick={() => save(shown, "logs")}>
        <Trans>Export CSV</Trans>
      </Button>
      {rows === null ? (
        <Button icon={<Download />} disabled={shown.length === 0} onClick={() => void saveAll()}>
          <Trans>Export all</Trans>
        </Button>
      ) : (
        <Button icon={<X />} onClick={() => stop.current?.abort()}>
          <Trans>Cancel ({count} rows)</Trans>
        </Button>
      )}
    </>
  );
}
