import { Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";

type SkipLinkProps = { to?: string; children?: ReactNode };

/** First in the tab order, it skips the navigation; before the filters of a list, these. */
export function SkipLink({
  to = "#main",
  children = <Trans>Skip to content</Trans>,
}: SkipLinkProps) {
  return (
    <a
      href={to}
      className="fixed top-2 left-2 z-50 -translate-y-16 rounded-md bg-accent px-3 py-2 font-medium text-accent-ink focus:translate-y-0"
    >
      {children}
    </a>
  );
}
