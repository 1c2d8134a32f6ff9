import { msg } from "@lingui/core/macro";
import { tokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import type { StatusLabel } from "../lists/status-badge.tsx";

/** Label and colour of each token status. */
export const tokenStatuses: Readonly<Record<number, StatusLabel>> = {
  [tokenStatus.enabled]: { label: msg`Enabled`, tone: "good" },
  [tokenStatus.disabled]: { label: msg`Disabled`, tone: "neutral" },
  [tokenStatus.expired]: { label: msg`Expired`, tone: "bad" },
  [tokenStatus.exhausted]: { label: msg`Exhausted`, tone: "warn" },
  [tokenStatus.paused]: { label: msg`Paused`, tone: "warn" },
};
