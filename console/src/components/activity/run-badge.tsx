import { Trans } from "@lingui/react/macro";
import { type Run, runOpenMs } from "@tollgate/contract/figures/runs.ts";
import { useState } from "react";
import { Badge } from "../../ui/badge.tsx";

/** `RunBadge` says whether a run is stopped or may still go on; nothing for one that is over. */
export function RunBadge({ run }: { run: Pick<Run, "stopped_at" | "last_call_at"> }) {
  // Read once per mount: a render must not read the clock.
  const [now] = useState(() => Date.now());
  if (run.stopped_at !== null)
    return (
      <Badge tone="bad">
        <Trans>Stopped</Trans>
      </Badge>
    );
  if (now - run.last_call_at > runOpenMs) return null;
  return (
    <Badge tone="good">
      <Trans>Open</Trans>
    </Badge>
  );
}
