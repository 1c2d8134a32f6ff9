import { useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";

/**
 * The filters of a list beside its search; on a phone a line of its own, as high as it will be
 * before they have loaded.
 */
export function FilterRow({ children }: { children: ReactNode }) {
  const { t } = useLingui();
  return (
    // biome-ignore lint/a11y/useSemanticElements: filters beside a search are no form
    <div
      role="group"
      aria-label={t`Filters`}
      className="flex min-h-8 min-w-0 items-center gap-1.5 max-sm:flex-1 max-sm:overflow-x-auto max-sm:py-0.5 sm:flex-wrap"
    >
      {children}
    </div>
  );
}
