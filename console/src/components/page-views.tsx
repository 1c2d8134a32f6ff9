import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import type { ReactNode } from "react";

type PageViewsProps = {
  label: string;
  /** The search parameter that names the view. */
  parameter: string;
  current: string | undefined;
  views: readonly { value: string | undefined; label: ReactNode }[];
};

/** Views of one page as links. The rest of the address stays, except for the page number and an open dialog. */
export function PageViews({ label, parameter, current, views }: PageViewsProps) {
  return (
    <nav aria-label={label} className="flex gap-1 border-line border-b">
      {views.map(({ value, label: text }) => (
        <Link
          key={value ?? ""}
          to="."
          search={(before: Record<string, unknown>) =>
            ({ ...before, [parameter]: value, p: undefined, trace: undefined }) as never
          }
          aria-current={value === current ? "page" : undefined}
          className={clsx(
            "whitespace-nowrap border-b-2 px-3 py-2 no-underline -outline-offset-2 transition-colors duration-150",
            value === current
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
