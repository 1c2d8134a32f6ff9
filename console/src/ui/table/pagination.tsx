import { Trans, useLingui } from "@lingui/react/macro";
import clsx from "clsx";
import { ChevronLeft, ChevronRight, ChevronsLeft, ChevronsRight } from "lucide-react";
import { useId } from "react";
import { Select } from "../form/input.tsx";
import { formatInteger } from "../format.ts";
import { IconButton } from "../icon-button.tsx";
import type { Breakpoint } from "../use-breakpoint.ts";
import { pageSizes } from "./data-table-view.ts";
import { pageEntries, showRange } from "./pagination-pages.ts";

type PaginationProps = {
  /** The page, counted from 0 as in the API. */
  page: number;
  size: number;
  total: number;
  /** The server stopped counting at `total`; there are more. */
  capped: boolean;
  screen: Breakpoint;
  onPage: (page: number) => void;
  onSize: (size: number) => void;
};

const listedMaxByScreen = { large: 7, desktop: 7, tablet: 5, mobile: 3 } as const;

export function Pagination({ page, size, total, capped, screen, onPage, onSize }: PaginationProps) {
  const { t } = useLingui();
  const sizeId = useId();
  const known = Math.max(1, Math.ceil(total / size));
  // After a capped count there may be more pages: the next one stays reachable.
  const pages = capped ? Math.max(known, page + 2) : known;
  const current = Math.min(page + 1, pages);
  const isMobile = screen === "mobile";
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 px-3 py-2 text-muted text-sm">
      <div className="flex grow flex-wrap items-center justify-between gap-x-4 gap-y-2 md:grow-0">
        <PaginationRange page={page} size={size} total={total} capped={capped} />
        <label htmlFor={sizeId} className="flex items-center gap-2">
          <Trans>Rows per page</Trans>
          <Select
            id={sizeId}
            controlSize="sm"
            className="w-18!"
            value={String(size)}
            onChange={(event) => onSize(Number(event.target.value))}
          >
            {pageSizes.map((offered) => (
              <option key={offered}>{offered}</option>
            ))}
          </Select>
        </label>
      </div>
      <nav
        aria-label={t`Pages`}
        className="flex grow items-center justify-center gap-0.5 md:grow-0"
      >
        {!isMobile && (
          <IconButton
            size="sm"
            label={t`First`}
            icon={<ChevronsLeft />}
            disabled={current <= 1}
            onClick={() => onPage(0)}
          />
        )}
        <IconButton
          size="sm"
          label={t`Previous`}
          icon={<ChevronLeft />}
          disabled={current <= 1}
          onClick={() => onPage(current - 2)}
        />
        <PageButtons current={current} pages={pages} screen={screen} onPage={onPage} />
        <IconButton
          size="sm"
          label={t`Next`}
          icon={<ChevronRight />}
          disabled={current >= pages}
          onClick={() => onPage(current)}
        />
        {!isMobile && (
          <IconButton
            size="sm"
            label={t`Last`}
            icon={<ChevronsRight />}
            disabled={current >= pages}
            onClick={() => onPage(pages - 1)}
          />
        )}
      </nav>
    </div>
  );
}

function PaginationRange({
  page,
  size,
  total,
  capped,
}: Pick<PaginationProps, "page" | "size" | "total" | "capped">) {
  const { from, to } = showRange(page, size, total);
  const shownFrom = formatInteger(from);
  const shownTo = formatInteger(to);
  const items = formatInteger(total) + (capped ? "+" : "");
  return (
    <p role="status" className="tabular-nums">
      <Trans>
        Showing {shownFrom}-{shownTo} of {items} items
      </Trans>
    </p>
  );
}

type PageButtonsProps = {
  current: number;
  pages: number;
  screen: Breakpoint;
  onPage: (page: number) => void;
};

function PageButtons({ current, pages, screen, onPage }: PageButtonsProps) {
  const { t } = useLingui();
  const entries = pageEntries(current, pages, listedMaxByScreen[screen]);
  return entries.map((entry, index) => {
    if (entry === "gap") {
      return (
        // biome-ignore lint/suspicious/noArrayIndexKey: a gap has no identity but its side
        <span key={`gap ${index}`} aria-hidden="true" className="w-6 text-center">
          …
        </span>
      );
    }
    const number = formatInteger(entry);
    return (
      <button
        key={entry}
        type="button"
        aria-label={t`Page ${number}`}
        aria-current={entry === current ? "page" : undefined}
        onClick={() => onPage(entry - 1)}
        className={clsx(
          "h-8 min-w-8 rounded-md px-1.5 tabular-nums transition-colors duration-150",
          entry === current
            ? "bg-accent-soft font-semibold text-accent"
            : "hover:bg-hover hover:text-ink",
        )}
      >
        {number}
      </button>
    );
  });
}
