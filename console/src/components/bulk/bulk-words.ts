import { i18n } from "@lingui/core";
import type { BulkMembers } from "@tollgate/contract/api/bulk-verbs.ts";
import type { StatusLabel } from "../lists/status-badge.tsx";

/** Shows the status of a row in the words of its list. */
export const showStatus =
  (labels: Readonly<Record<number, StatusLabel>>) =>
  ({ status }: BulkMembers): string => {
    const label = labels[Number(status)];
    return label === undefined ? "" : i18n._(label.label);
  };

/** Shows one member as it is. */
export const showMember =
  (name: string) =>
  ({ [name]: value }: BulkMembers): string =>
    value === undefined ? "" : String(value);
