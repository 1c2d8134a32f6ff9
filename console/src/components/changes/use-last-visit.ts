import { useEffect, useState } from "react";

/**
 * Until when the user had seen a record at an earlier visit, in Unix milliseconds; undefined at the
 * first visit, and where the browser refuses storage. The newest entry that is shown now counts for
 * the next visit.
 *
 * @param owner names user and record; undefined stores nothing.
 */
export function useLastVisit(
  owner: string | undefined,
  newestMs: number | undefined,
): number | undefined {
  const key = `last_visit:${owner}`;
  const [seenUntil] = useState(() => (owner === undefined ? undefined : readStoredMoment(key)));
  useEffect(() => {
    if (owner === undefined || newestMs === undefined || newestMs <= (readStoredMoment(key) ?? 0))
      return;
    try {
      localStorage.setItem(key, String(newestMs));
    } catch {}
  }, [owner, key, newestMs]);
  return seenUntil;
}

function readStoredMoment(key: string): number | undefined {
  try {
    const moment = Number(localStorage.getItem(key));
    return Number.isFinite(moment) && moment > 0 ? moment : undefined;
  } catch {
    return undefined;
  }
}
