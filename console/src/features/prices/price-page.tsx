import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import {
  listModelPrices,
  type ModelPriceRow,
  type PriceName,
} from "@tollgate/contract/catalogue/model-prices.ts";
import { useState } from "react";
import { useRowSelection } from "../../components/bulk/use-row-selection.ts";
import { SearchBox } from "../../components/lists/search-box.tsx";
import { StatusBadge } from "../../components/lists/status-badge.tsx";
import { useResourceList } from "../../components/lists/use-resource-list.ts";
import { CutText } from "../../components/texts/cut-text.tsx";
import { hasFeature, isRoot, useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { missing } from "../../ui/format.ts";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { ChangeOnly } from "../../ui/may-change.tsx";
import { Page } from "../../ui/page.tsx";
import { DataTable } from "../../ui/table/data-table.tsx";
import type { TableColumn } from "../../ui/table/data-table-columns.ts";
import { formatDifferenceText, priceDifferences, priceText } from "./price-acts.ts";
import { priceSourceLabels } from "./price-sources.ts";

const BulkBar = buildLazyPart(async () => (await import("./price-bulk-bar.tsx")).PriceBulkBar);
const PriceDialog = buildLazyPart(async () => (await import("./price-bulk-bar.tsx")).PriceDialog);

const PriceListCard = buildLazyPart(
  async () => (await import("./price-list-card.tsx")).PriceListCard,
);

/**
 * `PricePage` shows what models cost on this gateway, where each price comes from, and how it
 * differs from the provider's list.
 */
export function PricePage() {
  const { t } = useLingui();
  const { user, status } = useSession();
  const selection = useRowSelection();
  const [edited, setEdited] = useState<ModelPriceRow>();
  const { table, searchBox } = useResourceList({
    list: listModelPrices,
    search: listModelPrices,
    sorts: [],
    suggestion: ({ model }) => ({ id: model, text: model }),
  });
  return (
    <Page
      title={t`Prices`}
      subtitle={t`US dollars per million tokens, before the ratio of the group. Models are named as their providers name them.`}
    >
      <DataTable
        label={t`Prices`}
        {...table}
        rowId={readModelName}
        rowName={readModelName}
        selection={selection}
        columns={columns}
        empty={t`No channel offers a model yet.`}
        toolbar={
          <SearchBox {...searchBox} label={t`Search models`} placeholder={t`Search models`} />
        }
        actions={(row) => {
          const { model } = row;
          return (
            <ChangeOnly>
              <Button
                size="sm"
                variant="ghost"
                aria-label={t`Edit the price of ${model}`}
                onClick={() => setEdited(row)}
              >
                <Trans>Edit</Trans>
              </Button>
            </ChangeOnly>
          );
        }}
      />
      {isRoot(user) && hasFeature(status, "price_offers") && <PriceListCard />}
      {selection !== undefined && selection.ids.size > 0 && <BulkBar chosen={selection} />}
      {edited !== undefined && <PriceDialog row={edited} onClose={() => setEdited(undefined)} />}
    </Page>
  );
}

const readModelName = ({ model }: ModelPriceRow): string => model;

const priceColumn = (
  name: PriceName,
  label: TableColumn<ModelPriceRow>["label"],
): TableColumn<ModelPriceRow> => ({
  id: name,
  width: 70,
  label,
  numeric: true,
  mobile: name === "input" || name === "output" ? "fact" : "detail",
  cell: ({ in_force }) => priceText(in_force[name]),
});

const columns: readonly TableColumn<ModelPriceRow>[] = [
  {
    id: "model",
    width: 200,
    label: msg`Model`,
    pinned: true,
    mobile: "title",
    cell: ({ model }) => (
      <span className="font-mono">
        <CutText text={model} max="max-w-80" />
      </span>
    ),
  },
  priceColumn("input", msg`Input`),
  priceColumn("cache_read", msg`Cached input`),
  priceColumn("output", msg`Output`),
  { ...priceColumn("cache_write_5m", msg`Cache write, 5 minutes`), optional: true },
  { ...priceColumn("cache_write_1h", msg`Cache write, 1 hour`), optional: true },
  {
    id: "source",
    width: 80,
    label: msg`Source`,
    mobile: "status",
    cell: ({ source }) => <StatusBadge label={priceSourceLabels[source]} />,
  },
  {
    id: "difference",
    width: 120,
    label: msg`Difference from built-in`,
    cell: ({ in_force, built_in }) =>
      (built_in !== null && formatDifferenceText(priceDifferences(in_force, built_in))) || missing,
  },
  {
    id: "channels",
    width: 120,
    label: msg`Other prices at`,
    cell: ({ channel_prices }) => (
      <CutText text={channel_prices.map(({ name }) => name).join(", ")} max="max-w-56" />
    ),
  },
];
