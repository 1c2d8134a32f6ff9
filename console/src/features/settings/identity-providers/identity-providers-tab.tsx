import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import {
  deleteOidcProvider,
  deleteOidcProviderByPost,
  listOidcProviders,
  type OidcProvider,
  oidcProvidersMax,
  updateOidcProvider,
} from "@tollgate/contract/accounts/oidc-providers.ts";
import { type ComponentProps, useState } from "react";
import { api } from "../../../api-queries.ts";
import { buildEntityIds, readEntityRef } from "../../../compat/entity-ids.ts";
import { CardLoading } from "../../../components/forms/form-loading.tsx";
import { ItemList, ItemRow, ItemText, ItemTitle } from "../../../components/lists/item-row.tsx";
import { ItemVerbs } from "../../../components/lists/item-verbs.tsx";
import { ManagedBadge } from "../../../components/managed-badge.tsx";
import { signInSections } from "../../../components/settings/sign-in-sections.ts";
import { isRoot, useSession } from "../../../session.ts";
import { useReauth } from "../../../shell/use-reauth.tsx";
import { Alert } from "../../../ui/alert.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { ButtonLink } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { OptionsNotAllowed, OptionTab } from "../option-tab.tsx";
import { OidcProviderForm } from "./oidc-provider-form.tsx";

/** `newId` is in the place of an id: the form of a new provider. */
const newId = "add";

export function IdentityProvidersTab() {
  const { user } = useSession();
  return isRoot(user) ? <IdentityProviders /> : <OptionsNotAllowed />;
}

/**
 * The list of providers and the form of one, as one part: each part of its own adds to the script
 * that every page loads.
 */
function IdentityProviders() {
  const { id } = useParams({ strict: false });
  const [version, setVersion] = useState(0);
  const providers = useQuery(api.query(listOidcProviders));
  const isLoaded = providers.data !== undefined && providers.error === null;
  const list = isLoaded ? (
    <ProviderList
      source={providers}
      rows={providers.data.data}
      callbackStart={providers.data.callback_start}
    />
  ) : (
    <Card>
      <CardLoading source={providers} />
    </Card>
  );
  if (id === undefined || !isLoaded)
    return (
      <div className="flex flex-col gap-6">
        {list}
        {id === undefined && <OptionTab sections={signInSections} />}
      </div>
    );
  const { data: rows, callback_start } = providers.data;
  const stored = rows.find((row) => row.uuid === id || String(row.id) === id);
  if (stored === undefined && id !== newId) return <ProviderGone />;
  const reload = async () => {
    await providers.refetch();
    setVersion(version + 1);
  };
  return (
    <OidcProviderForm
      key={version}
      stored={stored}
      callbackStart={callback_start}
      onReload={() => void reload()}
    />
  );
}

function ProviderGone() {
  return (
    <Alert tone="warn" title={<Trans>No such provider</Trans>}>
      <ButtonLink
        to="/settings/sign-in/{-$id}"
        params={{ id: undefined }}
        size="sm"
        className="mt-2"
      >
        <Trans>Back to identity providers</Trans>
      </ButtonLink>
    </Alert>
  );
}

type ProviderListProps = {
  source: ComponentProps<typeof ItemList>["source"];
  rows: readonly OidcProvider[];
  callbackStart: string;
};

function ProviderList({ source, rows, callbackStart }: ProviderListProps) {
  return (
    <div className="flex flex-col gap-4">
      {callbackStart === "" && (
        <Alert tone="warn" title={<Trans>PUBLIC_URL is not set</Trans>}>
          <Trans>
            Providers send people back to this gateway's address. You can prepare them here and
            switch them on once the gateway starts with PUBLIC_URL.
          </Trans>
        </Alert>
      )}
      <Card
        title={<Trans>Identity providers</Trans>}
        note={
          <Trans>
            People sign in with their account at them, by OpenID Connect. Root's password always
            works.
          </Trans>
        }
        action={
          rows.length < oidcProvidersMax ? (
            <ButtonLink
              variant="primary"
              size="sm"
              to="/settings/sign-in/{-$id}"
              params={{ id: newId }}
            >
              <Trans>Add provider</Trans>
            </ButtonLink>
          ) : undefined
        }
      >
        <ItemList source={source} rows={rows} empty={<Trans>No identity providers yet.</Trans>}>
          {(row) => <ProviderItem key={readEntityRef(row)} provider={row} />}
        </ItemList>
      </Card>
    </div>
  );
}

function ProviderItem({ provider }: { provider: OidcProvider }) {
  const { t } = useLingui();
  const { withReauth, dialog } = useReauth();
  const { name, issuer, redirect_uri, enabled, has_secret, managed_by, updated_at } = provider;
  const rules = provider.rules.length;
  const toggle = async (enables: boolean) => {
    try {
      await withReauth((proof) =>
        api.call(updateOidcProvider, {
          body: { ...buildEntityIds(provider), enabled: enables, updated_at, ...proof },
        }),
      );
    } finally {
      await api.refresh(listOidcProviders);
    }
  };
  const remove = async () => {
    const params = { id: readEntityRef(provider) };
    await withReauth((proof) =>
      proof === undefined
        ? api.call(deleteOidcProvider, { params })
        : api.call(deleteOidcProviderByPost, { params, body: proof }),
    );
    await api.refresh(listOidcProviders);
  };
  return (
    <ItemRow>
      <ItemText>
        <ItemTitle>
          <span dir="auto" className="font-medium [overflow-wrap:anywhere]">
            {name}
          </span>
          {!enabled && (
            <Badge>
              <Trans>Disabled</Trans>
            </Badge>
          )}
          <ManagedBadge by={managed_by} />
          {!has_secret && (
            <Badge>
              <Trans>No secret</Trans>
            </Badge>
          )}
        </ItemTitle>
        <div className="text-muted text-sm [overflow-wrap:anywhere]">
          <p className="font-mono">{issuer}</p>
          {redirect_uri !== "" && (
            <p className="flex items-center gap-1">
              <span>
                <Trans>Callback address</Trans> <code className="font-mono">{redirect_uri}</code>
              </span>
              <CopyButton text={redirect_uri} label={t`Copy callback address of ${name}`} />
            </p>
          )}
          <p>
            {rules === 0 ? t`No rules: everyone signs in as a user` : t`Rules for claims: ${rules}`}
          </p>
        </div>
      </ItemText>
      <ItemVerbs
        name={name}
        primary={
          <ButtonLink
            size="sm"
            to="/settings/sign-in/{-$id}"
            params={{ id: readEntityRef(provider) }}
            aria-label={t`Edit ${name}`}
          >
            <Trans>Edit</Trans>
          </ButtonLink>
        }
        // Enabling may ask for a proof.
        toggle={{ isEnabled: enabled, canUndo: false, onToggle: toggle }}
        removal={
          managed_by === ""
            ? {
                question: (
                  <Trans>
                    People can no longer sign in with it. Their accounts stay, and the links work
                    again if you add a provider with the same issuer.
                  </Trans>
                ),
                onDelete: remove,
              }
            : undefined
        }
      />
      {dialog}
    </ItemRow>
  );
}
