import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import { formatRelative, formatSeconds, missing } from "./format.ts";
import { Tooltip } from "./menu/tooltip.tsx";

/** The exact time in the cell, the relative one on hover and focus. */
export function Time({ seconds }: { seconds: number | null | undefined }) {
  const { i18n } = useLingui();
  // Read once per mount: a render must not read the clock.
  const [now] = useState(() => Date.now());
  const exact = formatSeconds(seconds);
  if (exact === missing || seconds === null || seconds === undefined) return missing;
  return (
    <Tooltip text={formatRelative(seconds, now, i18n.locale)}>
      <time
        dateTime={new Date(seconds * 1000).toISOString()}
        className="whitespace-nowrap tabular-nums"
      >
        {exact}
      </time>
    </Tooltip>
  );
}
