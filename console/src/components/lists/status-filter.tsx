import { useLingui } from "@lingui/react/macro";
import { FilterChip } from "./filter-chip.tsx";
import type { StatusLabel } from "./status-badge.tsx";

/** Narrows a list by the status that its rows show; `statuses` are the labels of the rows. */
export function StatusFilter({ statuses }: { statuses: Readonly<Record<number, StatusLabel>> }) {
  const { t } = useLingui();
  const choices = Object.entries(statuses).map(([value, { label }]) => ({ value, text: t(label) }));
  return <FilterChip name="status" label={t`Status`} choices={choices} />;
}
