import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { type UseQueryResult, useMutation } from "@tanstack/react-query";
import {
  decidePriceOffers,
  type PriceOffer,
  type PriceOffers,
} from "@tollgate/contract/catalogue/price-offers.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { useRowSelection } from "../../components/bulk/use-row-selection.ts";
import { StatusBadge } from "../../components/lists/status-badge.tsx";
import { CutText } from "../../components/texts/cut-text.tsx";
import { Button } from "../../ui/button.tsx";
import { missing } from "../../ui/format.ts";
import { Confirm } from "../../ui/menu/confirm.tsx";
import { DataTable } from "../../ui/table/data-table.tsx";
import type { TableColumn } from "../../ui/table/data-table-columns.ts";
import { defaultView } from "../../ui/table/data-table-view.ts";
import { changeRows, formatDifferenceText, priceDifferences, showPrices } from "./price-acts.ts";
import { priceLists } from "./price-queries.ts";
import { priceSourceLabels } from "./price-sources.ts";

type Decision = "take" | "set_aside";

/** Model by model what is charged now and what the list says; what was set aside comes last. */
export function PriceOfferTable({ list }: { list: UseQueryResult<PriceOffers> }) {
  const { t } = useLingui();
  const [view, setView] = useState(defaultView);
  const [asked, setAsked] = useState<Decision>();
  const selection = useRowSelection();
  const decide = useMutation(api.mutation(decidePriceOffers, { refreshes: priceLists }));
  const { offers = [], revision = 0 } = list.data ?? {};
  const ordered = offers.toSorted((a, b) => Number(a.is_set_aside) - Number(b.is_set_aside));
  const start = view.p * view.size;
  const models = offers.flatMap(({ model }) => (selection?.ids.has(model) ? [model] : []));
  const count = models.length;
  const title = asked === "take" ? t`Take prices (${count})` : t`Set aside (${count})`;
  return (
    <>
      <DataTable
        isPart
        label={t`Newer prices`}
        source={{
          data: { items: ordered.slice(start, start + view.size), total: offers.length },
          error: null,
          isFetching: list.isFetching,
          refetch: list.refetch,
        }}
        columns={columns}
        rowId={readModelName}
        rowName={readModelName}
        selection={selection}
        view={view}
        onViewChange={setView}
        empty={t`The list has no new prices for models of your channels.`}
      />
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" disabled={count === 0} onClick={() => setAsked("take")}>
          {t`Take prices (${count})`}
        </Button>
        <Button disabled={count === 0} onClick={() => setAsked("set_aside")}>
          {t`Set aside (${count})`}
        </Button>
      </div>
      <Confirm
        open={asked !== undefined}
        onClose={() => setAsked(undefined)}
        variant="primary"
        title={title}
        question={
          <Trans>
            Prices you accept apply from now on. Others return when the list changes them.
          </Trans>
        }
        confirmLabel={title}
        onConfirm={async () => {
          if (asked !== undefined)
            await decide.mutateAsync({ body: { revision, models, decision: asked } });
        }}
      />
    </>
  );
}

const readModelName = ({ model }: PriceOffer): string => model;
const changed = ({ model, before, after }: PriceOffer) =>
  changeRows([{ model, skipped: null, before, after }])[0];

const columns: readonly TableColumn<PriceOffer>[] = [
  {
    id: "model",
    width: 180,
    label: msg`Model`,
    pinned: true,
    mobile: "title",
    cell: ({ model }) => <CutText text={model} max="max-w-80" isName />,
  },
  {
    id: "difference",
    width: 120,
    label: msg`Difference`,
    cell: ({ before, after }) => formatDifferenceText(priceDifferences(after, before)) || missing,
  },
  {
    id: "source",
    width: 80,
    label: msg`Source`,
    mobile: "status",
    cell: ({ source, is_set_aside }) => (
      <StatusBadge
        label={
          is_set_aside ? { label: msg`Set aside`, tone: "neutral" } : priceSourceLabels[source]
        }
      />
    ),
  },
  {
    id: "before",
    width: 160,
    label: msg`Price in force`,
    mobile: "fact",
    cell: (offer) => showPrices(changed(offer)?.before ?? {}) || missing,
  },
  {
    id: "after",
    width: 160,
    label: msg`Offered price`,
    mobile: "fact",
    cell: (offer) => showPrices(changed(offer)?.after ?? {}) || missing,
    // Beside the price in force, without the heads of the columns.
    compactCell: (offer) => `→ ${showPrices(changed(offer)?.after ?? {}) || missing}`,
  },
  {
    id: "read",
    width: 160,
    label: msg`Price from`,
    cell: ({ source_name, source_date }) => (
      <CutText text={`${source_name} ${source_date}`.trim()} />
    ),
  },
];
