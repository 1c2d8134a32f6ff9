import { useLingui } from "@lingui/react/macro";
import { RotateCw, Rows2, Rows3 } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "../icon-button.tsx";
import { Spinner } from "../spinner.tsx";
import { useDensity } from "./data-table-density.ts";

type TableToolbarProps = {
  children: ReactNode;
  isMobile: boolean;
  isFetching: boolean;
  onRefresh: () => void;
  /** Chooses columns and views, and on mobile the order. */
  choiceMenu: ReactNode;
};

/** The list's own tools at the left; refresh, density and choices at the right. */
export function TableToolbar({
  children,
  isMobile,
  isFetching,
  onRefresh,
  choiceMenu,
}: TableToolbarProps) {
  const { t } = useLingui();
  const [density, setDensity] = useDensity();
  const isCompact = density === "compact";
  return (
    <div className="flex flex-wrap items-center gap-2 p-3 print:hidden">
      <div className="flex min-w-0 grow flex-wrap items-center gap-2 max-sm:contents">
        {children}
      </div>
      <div className="ml-auto flex items-center gap-1">
        <IconButton
          size="sm"
          label={t`Refresh`}
          icon={isFetching ? <Spinner /> : <RotateCw />}
          aria-disabled={isFetching || undefined}
          onClick={() => isFetching || onRefresh()}
        />
        {!isMobile && (
          <IconButton
            size="sm"
            label={isCompact ? t`Comfortable rows` : t`Compact rows`}
            icon={isCompact ? <Rows2 /> : <Rows3 />}
            onClick={() => setDensity(isCompact ? "comfortable" : "compact")}
          />
        )}
        {choiceMenu}
      </div>
    </div>
  );
}
