import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import type { ReactNode } from "react";

export type PageView = {
  label: ReactNode;
  isCurrent: boolean;
  /** The search parameters that name the view; undefined removes one. */
  search: Readonly<Record<string, string | undefined>>;
};

/**
 * Views of one page as links. The rest of the address stays, except for the page number and an open
 * dialog.
 */
export function PageViews({ label, views }: { label: string; views: readonly PageView[] }) {
  return (
    <nav aria-label={label} className="flex gap-1 overflow-x-auto border-line border-b">
      {views.map(({ label: text, isCurrent, search }) => (
        <Link
          key={JSON.stringify(search)}
          to="."
          search={(before: Record<string, unknown>) =>
            ({ ...before, ...search, p: undefined, trace: undefined }) as never
          }
          aria-current={isCurrent ? "page" : undefined}
          className={clsx(
            "whitespace-nowrap border-b-2 px-3 py-2 no-underline -outline-offset-2 transition-colors duration-150",
            isCurrent
              ? "border-accent font-medium text-ink"
              : "border-transparent text-muted hover:border-edge hover:text-ink",
          )}
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}
