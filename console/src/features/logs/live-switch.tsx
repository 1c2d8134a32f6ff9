import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { type Log, tailLogs, tailOwnLogs } from "@tollgate/contract/logs.ts";
import clsx from "clsx";
import { Radio } from "lucide-react";
import { useEffect, useEffectEvent, useState } from "react";
import { reasonOf } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { entityRef } from "../../compat/entity-ids.ts";
import { Button } from "../../ui/button.tsx";
import type { LogFilterQuery } from "./log-filter-values.ts";

/** The polling interval. A page in a background tab does not poll. */
const pollMs = 2_000;

type LiveSwitchProps = {
  shown: readonly Log[] | undefined;
  query: LogFilterQuery;
  keyword: string;
  size: number;
  admin: boolean;
  /** Whether the list shows the newest rows first, on its first page. */
  isAtTop: boolean;
  onNewRows: () => void;
};

/** Follows the log: polls for the newest rows only, and refetches the list when one is new. */
export function LiveSwitch({ shown, query, keyword, size, admin, isAtTop, onNewRows }: LiveSwitchProps) {
  const { t } = useLingui();
  const [on, setOn] = useState(false);
  const request = { query: { ...query, size, ...(keyword === "" ? {} : { keyword }) } };
  const tail = useQuery({
    ...(admin ? api.query(tailLogs, request) : api.query(tailOwnLogs, request)),
    enabled: on && isAtTop,
    refetchInterval: pollMs,
    select: (reply) => reply.data,
  });
  const compare = useEffectEvent(() => {
    const known = new Set(shown?.map(entityRef));
    if (shown !== undefined && tail.data?.some((log) => !known.has(entityRef(log)))) onNewRows();
  });
  // Once per reply, so that a failing list is not refetched in a loop.
  const repliedAt = tail.dataUpdatedAt;
  useEffect(() => {
    if (repliedAt > 0) compare();
  }, [repliedAt]);
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
      <Button
        size="sm"
        role="switch"
        aria-checked={on}
        icon={<Radio className={clsx(on && isAtTop && "text-good")} />}
        className={clsx(on && "border-accent!")}
        onClick={() => setOn(!on)}
      >
        <Trans>Live</Trans>
      </Button>
      <span role="status" className="min-w-0 text-muted text-sm empty:-ml-3">
        {!on ? null : !isAtTop ? (
          <Trans>Paused: new entries appear on the first page, newest first</Trans>
        ) : tail.error !== null ? (
          t`Not following: ${reasonOf(tail.error, t`Operation failed`)}`
        ) : (
          <Trans>New calls appear here</Trans>
        )}
      </span>
    </div>
  );
}
