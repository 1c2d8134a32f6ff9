import { Trans, useLingui } from "@lingui/react/macro";
import type { Log } from "@tollgate/contract/logs.ts";
import { Download, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { reasonOf } from "../../api-error.ts";
import { Button } from "../../ui/button.tsx";
import { formatInteger } from "../../ui/format.ts";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { toast } from "../../ui/toast.tsx";
import type { ExportProgress } from "./log-export.ts";
import type { LogFilterQuery } from "./log-filter-values.ts";
import { logTypeOf } from "./log-types.ts";

type ExportButtonsProps = {
  shown: readonly Log[];
  query: LogFilterQuery;
  keyword: string;
  admin: boolean;
  /** Both exports are one button with a menu. */
  isMobile: boolean;
  /** The files have the column of tags. */
  withTags: boolean;
};

const loadExport = () => import("./log-export.ts");

/** Exports the rows of the page, or all that match the filter. */
export function ExportButtons({ shown, query, keyword, admin, isMobile, withTags }: ExportButtonsProps) {
  const { t } = useLingui();
  const [progress, setProgress] = useState<ExportProgress | null>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);

  const failed = (error: unknown) =>
    toast(t`The export stopped`, { tone: "bad", detail: reasonOf(error, t`Operation failed`) });
  const saveShown = async () => {
    const { exportPage } = await loadExport();
    exportPage(shown, (type) => t(logTypeOf(type).label), withTags);
  };
  const saveAll = async () => {
    const stopping = new AbortController();
    stop.current = stopping;
    setProgress({ rows: 0, total: undefined });
    try {
      const exporter = await loadExport();
      const { signal } = stopping;
      const rows = await exporter.exportAll({ query, keyword, admin, withTags, signal, onProgress: setProgress });
      const count = formatInteger(rows ?? 0);
      if (rows !== undefined) toast(t`${count} log entries exported`);
    } catch (error) {
      if (stopping.signal.aborted) toast(t`The export was cancelled, nothing was kept`, { tone: "info" });
      else failed(error);
    }
    setProgress(null);
  };
  const isEmpty = shown.length === 0;
  if (progress !== null) {
    return (
      <Button icon={<X />} className="tabular-nums" onClick={() => stop.current?.abort()}>
        <ExportProgressLabel {...progress} />
      </Button>
    );
  }
  const startShown = () => void saveShown().catch(failed);
  if (isMobile) {
    return (
      <Menu
        align="start"
        trigger={
          <Button icon={<Download />} disabled={isEmpty}>
            <Trans>Export</Trans>
          </Button>
        }
      >
        <MenuItem onSelect={startShown}>
          <Trans>Export this page</Trans>
        </MenuItem>
        <MenuItem onSelect={() => void saveAll()}>
          <Trans>Export all</Trans>
        </MenuItem>
      </Menu>
    );
  }
  return (
    <>
      <Button icon={<Download />} disabled={isEmpty} onClick={startShown}>
        <Trans>Export this page</Trans>
      </Button>
      <Button icon={<Download />} disabled={isEmpty} onClick={() => void saveAll()}>
        <Trans>Export all</Trans>
      </Button>
    </>
  );
}

function ExportProgressLabel({ rows, total }: ExportProgress) {
  const count = formatInteger(rows);
  const all = formatInteger(total ?? 0);
  return total === undefined ? (
    <Trans>Cancel ({count} rows)</Trans>
  ) : (
    <Trans>
      Cancel ({count} of {all} rows)
    </Trans>
  );
}
