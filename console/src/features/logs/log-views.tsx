import { Trans, useLingui } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import type { ReactNode } from "react";

/** All entries, or what went wrong. A filter stays when the view changes. */
export function LogViews({ isOfProblems }: { isOfProblems: boolean }) {
  const { t } = useLingui();
  return (
    <nav aria-label={t`Views of the log`} className="flex gap-1 border-line border-b">
      <ViewLink view={undefined} isCurrent={!isOfProblems}>
        <Trans>All entries</Trans>
      </ViewLink>
      <ViewLink view="problems" isCurrent={isOfProblems}>
        <Trans>Problems</Trans>
      </ViewLink>
    </nav>
  );
}

type ViewLinkProps = { view: "problems" | undefined; isCurrent: boolean; children: ReactNode };

function ViewLink({ view, isCurrent, children }: ViewLinkProps) {
  return (
    <Link
      to="."
      search={(before: Record<string, unknown>) => ({ ...before, view, p: undefined, trace: undefined }) as never}
      aria-current={isCurrent ? "page" : undefined}
      className={clsx(
        "whitespace-nowrap border-b-2 px-3 py-2 no-underline -outline-offset-2 transition-colors duration-150",
        isCurrent
          ? "border-accent font-medium text-ink"
          : "border-transparent text-muted hover:border-edge hover:text-ink",
      )}
    >
      {children}
    </Link>
  );
}
