import type { Log } from "@tollgate/contract/logs.ts";

/** The largest page that the server gives. */
export const exportPageSize = 100;
const rowsMax = 100_000;

type Page = { items: readonly Log[] };

/**
 * All that matches, page by page. The filter must end at a fixed moment: new rows would push old ones onto the next
 * page, and they would be written twice.
 */
export async function readAll(
  readPage: (p: number) => Promise<Page>,
  onProgress: (rows: number) => void,
  signal: AbortSignal,
): Promise<Log[]> {
  const logs: Log[] = [];
  for (let p = 0; logs.length < rowsMax; p++) {
    signal.throwIfAborted();
    const { items } = await readPage(p);
    logs.push(...items);
    onProgress(logs.length);
    if (items.length < exportPageSize) break;
  }
  return logs;
}
