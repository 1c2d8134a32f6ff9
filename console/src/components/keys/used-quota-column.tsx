import { msg } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import type { TableColumn } from "../../ui/table/data-table-columns.ts";
import { Quota } from "../quota.tsx";

/**
 * `usedQuotaColumn` is what a row has spent since its beginning, in lists of users, keys and
 * channels.
 */
export const usedQuotaColumn: TableColumn<{ used_quota: number }> = {
  id: "used_quota",
  width: 60,
  label: msg`Used Quota`,
  sortable: true,
  numeric: true,
  mobile: "fact",
  cell: ({ used_quota }) => <Quota units={used_quota} />,
  compactCell: ({ used_quota }) => (
    <Trans>
      <Quota isOwn units={used_quota} /> used
    </Trans>
  ),
};
