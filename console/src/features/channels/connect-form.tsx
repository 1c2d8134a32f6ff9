import { Trans, useLingui } from "@lingui/react/macro";
import { channelType, requiresKey } from "@tollgate/contract/channel-types.ts";
import { ExternalLink } from "lucide-react";
import { useEffect, useRef } from "react";
import * as z from "zod/mini";
import { SelectField } from "../../ui/field-choice.tsx";
import { PasswordField, TextField } from "../../ui/field-text.tsx";
import { FormCard } from "../../ui/form-card.tsx";
import { useContractForm, useFieldValue } from "../../ui/form-contract.ts";
import { normalizeBaseUrl } from "./channel-screen-rules.ts";
import { connectableTypes, guessProvider, keyPages, openAiCompatible } from "./provider-guess.ts";

export type Account = { type: number; base_url: string; key: string };
type AccountFields = { key: string; type: string; base_url: string };

const defaultAddress = (type: string): string => channelType(Number(type))?.defaultBaseUrl ?? "";

/** Key, provider and address. Key and address say which provider it is, until the administrator chooses one. */
export function ConnectForm({ onCheck }: { onCheck: (account: Account) => Promise<void> }) {
  const { t } = useLingui();
  const schema = z.object({ key: z.string(), type: z.string(), base_url: z.string() }).check(
    z.refine(({ key, type }) => key.trim() !== "" || !requiresKey(Number(type)), {
      error: t`API key is required`,
      path: ["key"],
    }),
    z.refine(({ type, base_url }) => base_url.trim() !== "" || defaultAddress(type) !== "", {
      error: t`This provider has no address of its own: enter one`,
      path: ["base_url"],
    }),
  );
  const form = useContractForm({
    schema,
    initial: { key: "", type: "1", base_url: "" } satisfies AccountFields,
    onSubmit: ({ key, type, base_url }: AccountFields) =>
      onCheck({ type: Number(type), key: key.trim(), base_url: normalizeBaseUrl(base_url) || defaultAddress(type) }),
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
  const standard = defaultAddress(type);
  const keyPage = keyPages[Number(type)];
  return (
    <FormCard
      form={form}
      title={<Trans>Account at the provider</Trans>}
      submit={<Trans>Connect</Trans>}
      submitting={<Trans>Asking the provider...</Trans>}
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
      <SelectField
        {...form.field("type")}
        label={t`Provider`}
        choices={connectableTypes.map(({ id, name }) => ({ value: String(id), label: name }))}
        help={
          Number(type) === openAiCompatible
            ? t`Any server that speaks the OpenAI API.`
            : t`Providers that need more than a key are under All fields.`
        }
      />
      <TextField
        {...form.field("base_url")}
        label={t`Base URL`}
        placeholder={standard}
        required={standard === ""}
        mono
        help={standard === "" ? t`Address of the API` : t`Leave empty for the provider's own address.`}
      />
    </FormCard>
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
