import { msg } from "@lingui/core/macro";
import {
  changeModelPrices,
  type ModelPriceRow,
} from "@tollgate/contract/catalogue/model-prices.ts";
import { BulkBar } from "../../components/bulk/bulk-bar.tsx";
import { BulkDialog } from "../../components/bulk/bulk-dialog.tsx";
import type { BulkCall, BulkVerb } from "../../components/bulk/bulk-verb.ts";
import type { ChosenRows } from "../../components/bulk/use-row-selection.ts";
import {
  buildFactorRequest,
  buildPricesBody,
  buildPricesRequest,
  buildTypedPrices,
  changeRows,
  changeTexts,
  showPrices,
  type TypedPrices,
} from "./price-acts.ts";
import { priceLists } from "./price-queries.ts";

const unchanged = msg`Leave empty to keep it unchanged.`;
const setPrices: BulkVerb = {
  id: "set",
  label: msg`Set prices`,
  warning: msg`US dollars per million tokens, before the ratio of the group. A price of text applies at any hour.`,
  fields: [
    { name: "input", label: msg`Input`, kind: "number", isOptional: true, help: unchanged },
    {
      name: "cache_read",
      label: msg`Cached input`,
      kind: "number",
      isOptional: true,
      help: unchanged,
    },
    { name: "output", label: msg`Output`, kind: "number", isOptional: true, help: unchanged },
    {
      name: "others",
      label: msg`Other prices`,
      isOptional: true,
      help: msg`Names as in the documentation, such as cache_write_5m=3.75, web_searches=0.01, calls=0.002. Items are in dollars each.`,
    },
  ],
  request: buildPricesRequest,
  show: showPrices,
};
const verbs: readonly BulkVerb[] = [
  setPrices,
  {
    id: "factor",
    label: msg`Multiply built-in prices`,
    warning: msg`Every built-in price times the factor becomes your price. Later price lists do not change it.`,
    fields: [{ name: "factor", label: msg`Factor`, kind: "number", help: msg`1.2 adds a fifth.` }],
    request: buildFactorRequest,
    show: showPrices,
  },
  {
    id: "reset",
    label: msg`Use built-in prices`,
    request: () => ({ reset: true }),
    show: showPrices,
  },
];

const call: BulkCall = {
  endpoint: changeModelPrices,
  refreshes: priceLists,
  body: buildPricesBody,
  rows: changeRows,
};

export function PriceBulkBar({ chosen }: { chosen: ChosenRows }) {
  return <BulkBar {...call} verbs={verbs} chosen={chosen} />;
}

/** The prices of one model, which the fields hold at first. */
export function PriceDialog({ row, onClose }: { row: ModelPriceRow; onClose: () => void }) {
  const present = buildTypedPrices(row);
  const verb = {
    ...setPrices,
    request: (typed: TypedPrices) => buildPricesRequest(changeTexts(present, typed)),
  };
  return (
    <BulkDialog
      {...call}
      verb={verb}
      initial={present}
      ids={[row.model]}
      onDone={() => undefined}
      onClose={onClose}
    />
  );
}
