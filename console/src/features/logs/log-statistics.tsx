import { Trans } from "@lingui/react/macro";
import { ChartColumn } from "lucide-react";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import type { LogRequest } from "./log-queries.ts";

const LogStatisticsFigures = buildLazyPart(
  async () => (await import("./log-statistics-figures.tsx")).LogStatisticsFigures,
);

/** The total cost of all entries that match the filter. Requested only while shown. */
export function LogStatistics({ request }: { request: LogRequest }) {
  const [shown, setShown] = useState(false);
  return (
    <div className="flex min-h-8 flex-wrap items-center gap-x-4 gap-y-2">
      <Button
        size="sm"
        icon={<ChartColumn />}
        aria-expanded={shown}
        aria-controls="log-statistics"
        onClick={() => setShown(!shown)}
      >
        <span className="max-sm:sr-only">
          {shown ? <Trans>Hide statistics</Trans> : <Trans>Show statistics</Trans>}
        </span>
      </Button>
      <div id="log-statistics" className={shown ? "min-w-0" : "hidden"}>
        {shown && <LogStatisticsFigures request={request} />}
      </div>
    </div>
  );
}
