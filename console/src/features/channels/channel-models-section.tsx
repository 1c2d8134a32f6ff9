import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { getDefaultPricing, listModelsByType } from "@tollgate/contract/catalogue/channels.ts";
import { api } from "../../api-queries.ts";
import { ModelPicker } from "../../components/forms/model-picker.tsx";
import { useModelEnds } from "../../components/model-end-mark.tsx";
import { toastError } from "../../components/toast-failure.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/form/field-text.tsx";
import { type ContractForm, useFieldValue } from "../../ui/form/form-contract.ts";
import { FormSection } from "../../ui/form/form-sections.tsx";
import { JsonField } from "../../ui/form/json-editor.tsx";
import { toast } from "../../ui/toast.tsx";
import type { ChannelFormValues } from "./channel-form-values.ts";
import { addDefaultPricing } from "./channel-pricing.ts";

export function ChannelModelsSection({ form }: { form: ContractForm<ChannelFormValues> }) {
  const { t } = useLingui();
  const type = useFieldValue(form, "type");
  const chosen = useFieldValue(form, "models");
  const models = useQuery({ ...api.query(listModelsByType), staleTime: 60_000 });
  return (
    <FormSection id="models" title={t`Models and prices`}>
      <ModelPicker
        {...form.field("models")}
        label={t`Models`}
        help={t`Models to offer through this channel. Type a name to add one that is not listed.`}
        offered={models.data?.data[type] ?? []}
        isLoading={models.isPending}
        emptyReason={models.error?.message}
        allowsCustom
      />
      <EndingModels models={chosen} />
      <JsonField
        {...form.field("model_mapping")}
        label={t`Model mapping`}
        help={t`Requested name → name at the provider`}
        placeholder={'{\n  "fast": "gpt-5.6-luna"\n}'}
        rows={4}
      />
      <JsonField
        {...form.field("model_configs")}
        label={t`Model configs`}
        help={t`Prices and limits by model: ratio in quota per prompt token, completion_ratio as a multiple of it, max_tokens.`}
        placeholder={
          '{\n  "gpt-5.6-terra": { "ratio": 1, "completion_ratio": 6, "max_tokens": 128000 }\n}'
        }
        rows={8}
        aside={<DefaultPricing form={form} type={type} />}
      />
      <TextField
        {...form.field("buying_factor")}
        label={t`Buying factor`}
        help={t`What you pay the provider, as a multiple of list prices: 0.85 is 15% less. Reports then show cost and margin; charges stay the same. Empty: unknown. An entry above may have buying_prices of its own.`}
        inputMode="decimal"
      />
    </FormSection>
  );
}

/** Adds the built-in prices of the chosen models, or of all, and overwrites none. */
function DefaultPricing({ form, type }: { form: ContractForm<ChannelFormValues>; type: string }) {
  const { t } = useLingui();
  const load = useMutation({
    mutationFn: () => api.call(getDefaultPricing, { query: { type: Number(type) } }),
    onSuccess: ({ data }) => {
      const { model_configs, models } = form.methods.getValues();
      const filled = addDefaultPricing(model_configs, data.model_configs, models);
      if (filled === model_configs) toast(t`No built-in prices to add`, { tone: "info" });
      else form.set("model_configs", filled);
    },
    onError: toastError,
  });
  return (
    <Button size="sm" variant="ghost" busy={load.isPending} onClick={() => load.mutate()}>
      <Trans>Load default pricing</Trans>
    </Button>
  );
}

/**
 * `EndingModels` lists those of the chosen models whose end is known where they are offered
 * already.
 */
function EndingModels({ models }: { models: readonly string[] }) {
  const { t } = useLingui();
  const ends = useModelEnds();
  const ending = models.flatMap((model) => ends.get(model) ?? []);
  if (ending.length === 0) return null;
  return (
    <ul className="flex flex-col gap-1 text-sm text-warn">
      {ending.map(({ model, ends_on, replacement }) => (
        <li key={model} className="[overflow-wrap:anywhere]">
          {replacement === ""
            ? t`${model} ends on ${ends_on}`
            : t`${model} ends on ${ends_on}, in its place: ${replacement}`}
        </li>
      ))}
    </ul>
  );
}
