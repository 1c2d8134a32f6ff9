import { Trans } from "@lingui/react/macro";
import { useState } from "react";
import { formatSystemName, useSession } from "../session.ts";
import { formatDate } from "../ui/format.ts";
import { Logo } from "./logo.tsx";
import { SiteLogo } from "./site-logo.tsx";
import "./report-print.css";

/**
 * `ReportHead` stands above the title on paper alone: whose report it is, and when and by whom it
 * was prepared.
 */
export function ReportHead() {
  const { user, status } = useSession();
  const [prepared] = useState(() => formatDate(new Date()).slice(0, "2026-11-28 14:05".length));
  const name = user?.display_name || user?.username || "";
  return (
    <div className="report-head mb-6 hidden items-center justify-between gap-4 border-line border-b pb-3 print:flex">
      <p className="flex items-center gap-2 font-semibold text-lg">
        <SiteLogo className="h-7 max-w-40" fallback={<Logo className="size-6" />} />
        <span dir="auto">{formatSystemName(status)}</span>
      </p>
      <p className="text-end text-muted text-sm">
        <Trans>
          Prepared {prepared} by {name}
        </Trans>
      </p>
    </div>
  );
}
