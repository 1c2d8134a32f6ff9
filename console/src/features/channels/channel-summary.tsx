import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { findChannelType } from "@tollgate/contract/catalogue/channel-types.ts";
import { getChannelMetadata, getDefaultPricing } from "@tollgate/contract/catalogue/channels.ts";
import { api } from "../../api-queries.ts";
import { Card } from "../../ui/card.tsx";
import { type ContractForm, useFieldValue } from "../../ui/form/form-contract.ts";
import { FormSummary, SummaryLine } from "../../ui/form/form-summary.tsx";
import { missing } from "../../ui/format.ts";
import type { ChannelFormValues } from "./channel-form-values.ts";
import { parseObject } from "./channel-json-text.ts";
import { type ShownPrice, showPrices } from "./channel-prices.ts";
import { computeChannelCount, normalizeBaseUrl } from "./channel-screen-rules.ts";

type ChannelSummaryProps = { form: ContractForm<ChannelFormValues>; isNew: boolean };

/** `ChannelSummary` shows what a channel with the values of the form does. */
export function ChannelSummary({ form, isNew }: ChannelSummaryProps) {
  const groups = useFieldValue(form, "groups").join(", ");
  return (
    <>
      <FormSummary title={<Trans>What this channel does</Trans>}>
        <AddressLine form={form} />
        {isNew && <CountLine form={form} />}
        <ModelsLine form={form} />
        <SummaryLine name={<Trans>Open to</Trans>}>
          <Trans>Users of {groups}</Trans>
        </SummaryLine>
        <OrderLine form={form} />
      </FormSummary>
      <PriceCard form={form} />
    </>
  );
}

type SummaryPartProps = Pick<ChannelSummaryProps, "form">;

function AddressLine({ form }: SummaryPartProps) {
  const type = Number(useFieldValue(form, "type"));
  const typed = normalizeBaseUrl(useFieldValue(form, "base_url"));
  const metadata = useQuery({
    ...api.query(getChannelMetadata, { query: { type } }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const address = typed || metadata.data?.data.default_base_url || "";
  return (
    <SummaryLine name={<Trans>Calls go to</Trans>}>
      <p>{findChannelType(type)?.name ?? type}</p>
      {address !== "" && <p className="font-mono text-muted text-sm">{address}</p>}
    </SummaryLine>
  );
}

/** Several lines of keys become several channels, unless they are keys of one. */
function CountLine({ form }: SummaryPartProps) {
  const count = computeChannelCount({
    key: useFieldValue(form, "key"),
    multi_key: useFieldValue(form, "multi_key"),
  });
  if (count < 2) return null;
  return (
    <SummaryLine name={<Trans>Creates</Trans>}>
      <Plural value={count} one="# channel" other="# channels, one for each line of the key" />
    </SummaryLine>
  );
}

function ModelsLine({ form }: SummaryPartProps) {
  const models = useFieldValue(form, "models");
  const renamed = Object.keys(parseObject(useFieldValue(form, "model_mapping")) ?? {}).length;
  return (
    <SummaryLine
      name={<Trans>Serves</Trans>}
      warning={
        models.length === 0 && <Trans>No model chosen: no call can reach the channel.</Trans>
      }
    >
      <Plural value={models.length} one="# model" other="# models" />
      {renamed > 0 && (
        <>
          {", "}
          <Plural
            value={renamed}
            one="# under another name at the provider"
            other="# under other names at the provider"
          />
        </>
      )}
    </SummaryLine>
  );
}

function OrderLine({ form }: SummaryPartProps) {
  const priority = Number(useFieldValue(form, "priority") || 0);
  return (
    <SummaryLine name={<Trans>Order</Trans>}>
      {priority < 0 ? (
        <Trans>Last resort: called when no other channel can serve</Trans>
      ) : (
        <Trans>Before channels with a priority below {priority}</Trans>
      )}
    </SummaryLine>
  );
}

/**
 * `pricesMax` is as many as fit beside the form; the column of the models in the form has them all.
 */
const pricesMax = 8;

/**
 * Nothing is shown where the built-in prices cannot be read: the form's own field still has what
 * was typed.
 */
function PriceCard({ form }: SummaryPartProps) {
  const { t } = useLingui();
  const type = Number(useFieldValue(form, "type"));
  const models = useFieldValue(form, "models");
  const typed = useFieldValue(form, "model_configs");
  const builtIn = useQuery({
    ...api.query(getDefaultPricing, { query: { type } }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (models.length === 0 || builtIn.data === undefined || builtIn.error !== null) return null;
  const more = models.length - pricesMax;
  return (
    <Card title={<Trans>Prices</Trans>} note={t`Input / output in dollars per 1M tokens`}>
      <ul className="flex flex-col text-sm">
        {showPrices(models.slice(0, pricesMax), typed, builtIn.data.data.model_configs).map(
          (shown) => (
            <PriceLine key={shown.model} {...shown} />
          ),
        )}
      </ul>
      {more > 0 && (
        <p className="mt-2 text-muted text-sm">
          <Plural value={more} one="and # more" other="and # more" />
        </p>
      )}
    </Card>
  );
}

function PriceLine({ model, price, isOwn }: ShownPrice) {
  return (
    <li className="flex items-baseline justify-between gap-3 border-line border-t py-1.5 first:border-t-0">
      <span className="min-w-0 font-mono [overflow-wrap:anywhere]">{model}</span>
      <span className="shrink-0 text-end tabular-nums">
        {price === "" ? missing : price}
        {isOwn && (
          <span className="block text-muted text-xs">
            <Trans>set here</Trans>
          </span>
        )}
      </span>
    </li>
  );
}
