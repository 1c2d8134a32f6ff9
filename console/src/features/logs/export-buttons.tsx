import { Trans } from "@lingui/react/macro";
import type { Log } from "@tollgate/contract/figures/logs.ts";
import { Download, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { formatInteger } from "../../ui/format.ts";
import { Menu, MenuItem } from "../../ui/menu/menu.tsx";
import type { ExportProgress } from "./log-export.ts";
import type { LogFilterQuery } from "./log-filter-values.ts";

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
export function ExportButtons({
  shown,
  query,
  keyword,
  admin,
  isMobile,
  withTags,
}: ExportButtonsProps) {
  const [progress, setProgress] = useState<ExportProgress | null>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);

  const startShown = async () => (await loadExport()).saveShown(shown, withTags);
  const startAll = async () => {
    const stopping = new AbortController();
    stop.current = stopping;
    setProgress({ rows: 0, total: undefined });
    const { signal } = stopping;
    await (await loadExport()).saveAll({
      query,
      keyword,
      admin,
      withTags,
      signal,
      onProgress: setProgress,
    });
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
        <MenuItem onSelect={() => void startShown()}>
          <Trans>Export this page</Trans>
        </MenuItem>
        <MenuItem onSelect={() => void startAll()}>
          <Trans>Export all</Trans>
        </MenuItem>
      </Menu>
    );
  }
  return (
    <>
      <Button icon={<Download />} disabled={isEmpty} onClick={() => void startShown()}>
        <Trans>Export this page</Trans>
      </Button>
      <Button icon={<Download />} disabled={isEmpty} onClick={() => void startAll()}>
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
