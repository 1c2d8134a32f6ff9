import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import {
  createOidcProvider,
  listOidcProviders,
  type OidcProvider,
  updateOidcProvider,
} from "@tollgate/contract/accounts/oidc-providers.ts";
import { type ReactNode, useState } from "react";
import { api } from "../../../api-queries.ts";
import { buildEntityIds } from "../../../compat/entity-ids.ts";
import { ManagedNotice } from "../../../components/managed-notice.tsx";
import { buildQuotaStyle, useSession } from "../../../session.ts";
import { useReauth } from "../../../shell/use-reauth.tsx";
import { readSiteAddress } from "../../../site-path.ts";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { CheckboxField } from "../../../ui/form/field-choice.tsx";
import { NumberField, PasswordField, TextField } from "../../../ui/form/field-text.tsx";
import { Form } from "../../../ui/form/form.tsx";
import {
  type ContractForm,
  useContractForm,
  useFieldValue,
} from "../../../ui/form/form-contract.ts";
import { toast } from "../../../ui/toast.tsx";
import { OidcClaimsCard } from "./oidc-claims-card.tsx";
import {
  buildOidcBody,
  buildOidcForm,
  buildPresetFields,
  defineOidcFormSchema,
  type OidcFormOutput,
  type OidcFormValues,
  toOidcForm,
} from "./oidc-form-values.ts";
import { type OidcPreset, oidcPresets } from "./oidc-presets.ts";
import { OidcRuleFields } from "./oidc-rule-fields.tsx";
import { OidcTestCard } from "./oidc-test-card.tsx";
import { presetHints } from "./oidc-words.ts";

interface OidcProviderFormProps {
  /** Undefined makes a new one. */
  stored: OidcProvider | undefined;
  /**
   * `callbackStart` is what comes before the slug in the address of the callback; empty without
   * PUBLIC_URL.
   */
  callbackStart: string;
  onReload: () => void;
}

export function OidcProviderForm({ stored, callbackStart, onReload }: OidcProviderFormProps) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const { withReauth, dialog } = useReauth();
  const { perUnit } = buildQuotaStyle(useSession().status);
  const [preset, setPreset] = useState<OidcPreset>();
  const hint = preset && presetHints[preset.slug];
  const messages = {
    name: t`Name is required`,
    slug: t`Begin with a letter; lower-case letters, digits and hyphens follow`,
    issuer: t`Enter the provider's address, beginning with https://`,
    braces: t`Replace the parts in braces by your own`,
    clientId: t`Client ID is required`,
    secret: t`Enter the secret, or say that the client has none`,
    position: t`Enter a whole number from 0 to 99`,
    days: t`Enter a whole number from 0 to 365`,
    rules: t`Each rule needs a claim, a value, and a role, a group or a team. A budget is a sum above $0.`,
  };
  const form = useContractForm({
    schema: defineOidcFormSchema(messages, {
      hasStoredSecret: stored?.has_secret === true,
      perUnit,
    }),
    initial: stored === undefined ? buildOidcForm() : toOidcForm(stored, perUnit),
    onSubmit: async ({ slug, ...values }: OidcFormOutput) => {
      const body = buildOidcBody(values);
      await withReauth((proof) =>
        stored === undefined
          ? api.call(createOidcProvider, { body: { slug, ...body, ...proof } })
          : api.call(updateOidcProvider, {
              body: { ...body, ...buildEntityIds(stored), updated_at: stored.updated_at, ...proof },
            }),
      );
      await api.refresh(listOidcProviders);
      toast(t`Saved. Applies from the next sign-in.`);
      await navigate({ to: "/settings/sign-in/{-$id}", params: { id: undefined } });
    },
  });
  const takeOver = async (provider: OidcProvider) => {
    const { updated_at } = provider;
    await withReauth((proof) =>
      api.call(updateOidcProvider, {
        body: { ...buildEntityIds(provider), managed_by: "", updated_at, ...proof },
      }),
    );
    await api.refresh(listOidcProviders);
  };
  const choose = (chosen: OidcPreset) => {
    setPreset(chosen);
    const { name, slug, issuer, scopes } = buildPresetFields(chosen);
    form.set("name", name);
    form.set("slug", slug);
    form.set("issuer", issuer);
    form.set("scopes", scopes);
  };
  const file = stored?.managed_by ?? "";
  return (
    <>
      {stored !== undefined && (
        <ManagedNotice
          name={stored.name}
          file={file}
          onTakeOver={() => takeOver(stored)}
          onTaken={onReload}
        />
      )}
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,37rem)_minmax(0,1fr)]">
        <Form
          form={form}
          isReadOnly={file !== ""}
          submit={<Trans>Save</Trans>}
          submitting={<Trans>Saving...</Trans>}
          cancelTo="/settings/sign-in"
          onReload={stored && onReload}
        >
          {stored === undefined && <Presets chosen={preset} onChoose={choose} />}
          <TextField
            {...form.field("name")}
            label={t`Name`}
            help={t`Shown on the sign-in button.`}
            maxLength={40}
          />
          {stored === undefined && (
            <TextField
              {...form.field("slug")}
              label={t`Short name`}
              help={t`The end of the callback address. It stays as it is.`}
              maxLength={31}
              mono
            />
          )}
          <CallbackAddress form={form} start={callbackStart} />
          <TextField
            {...form.field("issuer")}
            label={t`Issuer`}
            help={t`The provider's address, exactly as its own document names it.`}
            type="url"
            maxLength={500}
            mono
          />
          <TextField {...form.field("client_id")} label={t`Client ID`} maxLength={300} mono />
          <SecretFields form={form} hasStored={stored?.has_secret === true} />
          <TextField
            {...form.field("scopes")}
            label={t`Scopes`}
            help={t`Separated by spaces. Some providers send groups or roles only where a scope asks for them.`}
            maxLength={300}
            mono
          />
          <OidcRuleFields {...form.field("rules")} />
          <CheckboxField
            {...form.field("refuses_unmatched")}
            label={t`Only people who match a rule`}
            help={t`When off, everyone else signs in as an ordinary user.`}
          />
          <CheckboxField
            {...form.field("known_people_only")}
            label={t`Only people who have an account`}
            help={t`New people get no account: they link this provider in their settings first.`}
          />
          <SecondFactorFields form={form} />
          <PeopleFields form={form} />
          <NumberField
            {...form.field("position")}
            label={t`Order of the sign-in button`}
            help={t`Smaller numbers come first.`}
          />
          <CheckboxField
            {...form.field("enabled")}
            label={t`Enabled`}
            help={
              callbackStart === ""
                ? t`Needs PUBLIC_URL in the environment of the gateway: providers send people back to it.`
                : t`When off, its button is hidden and people sign in another way.`
            }
          />
        </Form>
        <div className="flex min-w-0 flex-col gap-4">
          {preset !== undefined && (
            <Card title={preset.name}>{hint !== undefined && <p>{t(hint)}</p>}</Card>
          )}
          <OidcTestCard form={form} stored={stored} />
          <OidcClaimsCard form={form} />
        </div>
        {dialog}
      </div>
    </>
  );
}

type OidcForm = { form: ContractForm<OidcFormValues> };

function Presets({
  chosen,
  onChoose,
}: {
  chosen: OidcPreset | undefined;
  onChoose: (preset: OidcPreset) => void;
}) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1.5 font-medium">
        <Trans>Begin with</Trans>
      </legend>
      <div className="flex flex-wrap gap-2">
        {oidcPresets.map((preset) => (
          <Button
            key={preset.slug}
            size="sm"
            aria-pressed={preset === chosen}
            onClick={() => onChoose(preset)}
          >
            {preset.name}
          </Button>
        ))}
      </div>
    </fieldset>
  );
}

function CallbackAddress({ form, start }: OidcForm & { start: string }) {
  const { t } = useLingui();
  const slug = useFieldValue(form, "slug").trim();
  const address: ReactNode =
    start === "" ? (
      <Trans>Needs PUBLIC_URL in the environment of the gateway.</Trans>
    ) : slug === "" ? (
      <Trans>Derived from the short name.</Trans>
    ) : (
      <span className="flex items-center gap-1">
        <code className="font-mono text-sm [overflow-wrap:anywhere]">{start + slug}</code>
        <CopyButton text={start + slug} label={t`Copy callback address`} />
      </span>
    );
  return (
    <div className="flex flex-col gap-1.5">
      <p className="font-medium">
        <Trans>Callback address</Trans>
      </p>
      <div>{address}</div>
      <p className="text-muted text-sm">
        <Trans>
          Register it with the provider. For back-channel logout, add /backchannel at the end.
        </Trans>
      </p>
    </div>
  );
}

function SecretFields({ form, hasStored }: OidcForm & { hasStored: boolean }) {
  const { t } = useLingui();
  const isPublic = useFieldValue(form, "is_public");
  return (
    <>
      {!isPublic && (
        <PasswordField
          {...form.field("client_secret")}
          label={t`Client secret`}
          help={t`Stored encrypted and never shown again. Needed again if the issuer or client changes.`}
          placeholder={hasStored ? t`Leave empty to keep the current one` : undefined}
          autoComplete="new-password"
        />
      )}
      <CheckboxField
        {...form.field("is_public")}
        label={t`The client has no secret`}
        help={t`A public client: only PKCE protects its codes.`}
      />
    </>
  );
}

function PeopleFields({ form }: OidcForm) {
  const { t } = useLingui();
  return (
    <>
      <CheckboxField
        {...form.field("links_verified_mail")}
        label={t`Find users by their verified address`}
        help={t`A first sign-in opens the account of the user who has this address here. Where the address was never verified here, a code is mailed to it first. Administrators bind the provider themselves.`}
      />
      <CheckboxField
        {...form.field("closes_password")}
        label={t`Require this provider: no password sign-in`}
        help={t`Accounts linked to it can no longer sign in with a password. Super administrators always can.`}
      />
      <NumberField
        {...form.field("keys_rest_days")}
        label={t`Pause keys after days without sign-in`}
        help={t`Keys of people who have not signed in with this provider for that many days are paused until they do. 0: never.`}
      />
    </>
  );
}

function SecondFactorFields({ form }: OidcForm) {
  const { t } = useLingui();
  const trusts = useFieldValue(form, "trusts_second_factor");
  const returnAddress = `${readSiteAddress()}/login`;
  return (
    <>
      <CheckboxField
        {...form.field("trusts_second_factor")}
        label={t`Accept the provider's second factor`}
        help={t`If the claim amr contains mfa, the gateway asks for no second factor of its own.`}
      />
      <CheckboxField
        {...form.field("ends_session")}
        label={t`Sign out at the provider too`}
        help={t`Register ${returnAddress} with it as the address after a sign-out.`}
      />
      {trusts && (
        <TextField
          {...form.field("acr_values")}
          label={t`Values of the claim acr that count too`}
          help={t`Separated by commas.`}
          mono
        />
      )}
    </>
  );
}
