import { Trans, useLingui } from "@lingui/react/macro";
import {
  channelTypeIds,
  findChannelType,
  requiresKey,
} from "@tollgate/contract/catalogue/channel-types.ts";
import { ExternalLink } from "lucide-react";
import { useEffect, useRef } from "react";
import * as z from "zod/mini";
import { ProviderMark } from "../../components/provider-mark.tsx";
import { Button } from "../../ui/button.tsx";
import { SelectField } from "../../ui/form/field-choice.tsx";
import { PasswordField, TextField } from "../../ui/form/field-text.tsx";
import { FormCard } from "../../ui/form/form-card.tsx";
import { useContractForm, useFieldValue } from "../../ui/form/form-contract.ts";
import { normalizeBaseUrl } from "./channel-screen-rules.ts";
import { connectableTypes, guessProvider, keyPages } from "./provider-guess.ts";

export type Account = { type: number; base_url: string; key: string };
type AccountFields = { key: string; type: string; base_url: string };

const composeDefaultAddress = (type: string): string =>
  findChannelType(Number(type))?.defaultBaseUrl ?? "";

/**
 * Key, provider and address. Key and address say which provider it is, until the administrator
 * chooses one.
 */
export function ConnectForm({ onCheck }: { onCheck: (account: Account) => Promise<void> }) {
  const { t } = useLingui();
  const schema = z.object({ key: z.string(), type: z.string(), base_url: z.string() }).check(
    z.refine(({ key, type }) => key.trim() !== "" || !requiresKey(Number(type)), {
      error: t`API key is required`,
      path: ["key"],
    }),
    z.refine(({ type, base_url }) => base_url.trim() !== "" || composeDefaultAddress(type) !== "", {
      error: t`This provider has no address of its own: enter one`,
      path: ["base_url"],
    }),
  );
  const form = useContractForm({
    schema,
    initial: { key: "", type: "1", base_url: "" } satisfies AccountFields,
    onSubmit: ({ key, type, base_url }: AccountFields) =>
      onCheck({
        type: Number(type),
        key: key.trim(),
        base_url: normalizeBaseUrl(base_url) || composeDefaultAddress(type),
      }),
  });
  const key = useFieldValue(form, "key");
  const type = useFieldValue(form, "type");
  const address = useFieldValue(form, "base_url");
  const guess = guessProvider(key, address);
  const lastGuess = useRef<number>(undefined);
  // A new guess replaces the choice; the same guess again does not, so that a choice by hand stays.
  useEffect(() => {
    if (guess === undefined || guess === lastGuess.current) return;
    lastGuess.current = guess;
    form.set("type", String(guess));
  }, [guess, form]);
  // Which fields are required depends on the provider.
  const { clearErrors } = form.methods;
  useEffect(() => {
    if (type !== "") clearErrors();
  }, [type, clearErrors]);
  const standard = composeDefaultAddress(type);
  const keyPage = keyPages[Number(type)];
  return (
    <FormCard
      form={form}
      title={<Trans>Account at the provider</Trans>}
      submit={<Trans>Connect</Trans>}
      submitting={<Trans>Asking the provider...</Trans>}
      isMainAct
    >
      <PasswordField
        {...form.field("key")}
        label={t`API Key`}
        required={requiresKey(Number(type))}
        help={
          requiresKey(Number(type))
            ? t`The provider is recognised by its key. The key is stored encrypted and never shown again.`
            : t`Ollama needs no key.`
        }
        aside={keyPage !== undefined && <KeyPageLink href={keyPage} />}
      />
      <ProviderTiles type={type} onChoose={(id) => form.set("type", id)} />
      <SelectField
        {...form.field("type")}
        label={t`Provider`}
        choices={connectableTypes.map(({ id, name }) => ({ value: String(id), label: name }))}
        help={
          Number(type) === channelTypeIds.compatible
            ? t`Any server that speaks the OpenAI API.`
            : t`Azure, Bedrock, Vertex and others: use the full form.`
        }
      />
      <TextField
        {...form.field("base_url")}
        label={t`Base URL`}
        placeholder={standard}
        required={standard === ""}
        mono
        help={
          standard === "" ? t`Address of the API` : t`Leave empty for the provider's own address.`
        }
      />
    </FormCard>
  );
}

/** `tileCount` is as many as stand in three rows; the rest is in the list below. */
const tileCount = 9;

/** The providers that are connected most, by one press each. */
function ProviderTiles({ type, onChoose }: { type: string; onChoose: (type: string) => void }) {
  const { t } = useLingui();
  return (
    // biome-ignore lint/a11y/useSemanticElements: the list below is the field; these are a quicker way to fill it in
    <div
      role="group"
      aria-label={t`Usual providers`}
      className="grid grid-cols-2 gap-2 sm:grid-cols-3"
    >
      {connectableTypes.slice(0, tileCount).map(({ id, name }) => (
        <Button
          key={id}
          aria-pressed={type === String(id)}
          onClick={() => onChoose(String(id))}
          className="min-w-0 justify-start! px-2! text-sm aria-pressed:bg-accent-soft aria-pressed:text-accent"
        >
          <ProviderMark type={id} name={name} />
          <span className="min-w-0 truncate">{name}</span>
        </Button>
      ))}
    </div>
  );
}

function KeyPageLink({ href }: { href: string }) {
  return (
    <a
      href={href}
      target="_blank"
      rel="noreferrer"
      className="-my-0.5 inline-flex items-center gap-1 py-0.5 text-accent text-sm"
    >
      <Trans>Where keys are made</Trans>
      <ExternalLink aria-hidden="true" className="size-3.5" />
    </a>
  );
}
