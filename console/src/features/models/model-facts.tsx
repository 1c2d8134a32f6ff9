import { Trans } from "@lingui/react/macro";
import { formatInteger, missing } from "../../ui/format.ts";
import { Tooltip } from "../../ui/menu/tooltip.tsx";
import { formatModelPrice, formatTokenLimit, type ListedModel } from "./model-groups.ts";

export function Price({ amount }: { amount: number }) {
  if (Number.isNaN(amount)) return missing;
  return formatModelPrice(amount) ?? <Trans>Free</Trans>;
}

type TieredPriceKind = "input_price" | "cached_input_price" | "output_price";

/** The price, and below it the prices of longer prompts that differ. */
export function TieredPrice({ model, kind }: { model: ListedModel; kind: TieredPriceKind }) {
  return (
    <>
      <Price amount={model[kind]} />
      {model.tiers?.map((tier) => {
        if (tier[kind] === model[kind]) return null;
        const price = formatModelPrice(tier[kind]) ?? "$0.00";
        const size = formatTokenLimit(tier.above) ?? "0";
        return (
          <span key={tier.above} className="block text-muted text-xs">
            <Trans>
              {price} above {size}
            </Trans>
          </span>
        );
      })}
    </>
  );
}

export function TokenLimit({ tokens }: { tokens: number }) {
  if (Number.isNaN(tokens)) return missing;
  const text = formatTokenLimit(tokens);
  if (text === undefined) return <Trans>Unlimited</Trans>;
  return (
    <Tooltip text={formatInteger(tokens)}>
      <data value={tokens}>{text}</data>
    </Tooltip>
  );
}
