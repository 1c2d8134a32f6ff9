import { Trans } from "@lingui/react/macro";
import clsx from "clsx";
import type { ReactNode } from "react";

type SkipLinkProps = { to?: string; className?: string; children?: ReactNode };

/** First in the tab order, it skips the navigation. */
export function SkipLink({
  to = "#main",
  className,
  children = <Trans>Skip to content</Trans>,
}: SkipLinkProps) {
  return (
    <a
      href={to}
      className={clsx(
        "fixed top-2 left-2 z-50 -translate-y-16 rounded-md bg-accent px-3 py-2 font-medium text-accent-ink focus:translate-y-0",
        className,
      )}
    >
      {children}
    </a>
  );
}
