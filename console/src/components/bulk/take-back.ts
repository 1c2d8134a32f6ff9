import { t } from "@lingui/core/macro";
import type { Endpoint } from "@tollgate/contract/api/endpoint.ts";
import { api } from "../../api-queries.ts";
import { toast } from "../../ui/toast.tsx";
import { toastError } from "../toast-failure.ts";

type BulkCount = { data: { changed: number; rows: readonly unknown[] } };

/**
 * Sends the acts that reverse one on many rows, one after the other, and says what came of them.
 */
export async function takeBack(
  endpoint: Endpoint,
  acts: readonly object[],
  refreshes: readonly Endpoint[],
) {
  try {
    let left = 0;
    for (const body of acts) {
      const { data } = (await api.call(endpoint, { body } as never)) as unknown as BulkCount;
      left += data.rows.length - data.changed;
    }
    if (left > 0) toast(t`Not everything could be undone`, { tone: "bad" });
    else toast(t`Change undone`);
  } catch (error) {
    toastError(error);
  }
  await Promise.all(refreshes.map(api.refresh));
}
