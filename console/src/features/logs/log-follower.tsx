import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { type Log, tailLogs, tailOwnLogs } from "@tollgate/contract/figures/logs.ts";
import { useEffect, useEffectEvent } from "react";
import { readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import type { LogFilterQuery } from "./log-filter-values.ts";

/** The polling interval. A page in a background tab does not poll. */
const pollMs = 2_000;

export type FollowedLog = {
  shown: readonly Log[] | undefined;
  query: LogFilterQuery;
  keyword: string;
  size: number;
  admin: boolean;
  /** `isAtTop` says whether the list shows the newest rows first, on its first page. */
  isAtTop: boolean;
  onNewRows: () => void;
};

/** Polls for the newest rows only, refetches the list when one is new, and says what it does. */
export function LogFollower({
  shown,
  query,
  keyword,
  size,
  admin,
  isAtTop,
  onNewRows,
}: FollowedLog) {
  const { t } = useLingui();
  const request = { query: { ...query, size, ...(keyword === "" ? {} : { keyword }) } };
  const tail = useQuery({
    ...(admin ? api.query(tailLogs, request) : api.query(tailOwnLogs, request)),
    enabled: isAtTop,
    refetchInterval: pollMs,
    select: (reply) => reply.data,
  });
  const compare = useEffectEvent(() => {
    const known = new Set(shown?.map(readEntityRef));
    if (shown !== undefined && tail.data?.some((log) => !known.has(readEntityRef(log))))
      onNewRows();
  });
  // Once per reply, so that a failing list is not refetched in a loop.
  const repliedAt = tail.dataUpdatedAt;
  useEffect(() => {
    if (repliedAt > 0) compare();
  }, [repliedAt]);
  if (!isAtTop) return <Trans>Paused: new entries appear on the first page, newest first</Trans>;
  if (tail.error !== null) return t`Not following: ${readReason(tail.error, t`Operation failed`)}`;
  return <Trans>New calls appear here</Trans>;
}
