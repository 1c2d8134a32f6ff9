import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import {
  externalProviders,
  proxyAccountProvider,
} from "@tollgate/contract/accounts/external-providers.ts";
import {
  type ExternalAccountProvider,
  listExternalAccounts,
  unbindExternalAccount,
} from "@tollgate/contract/accounts/external-sign-in.ts";
import { getSelf } from "@tollgate/contract/accounts/sessions.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { listOfferedProviders } from "../../compat/oauth-compat.ts";
import { ItemList } from "../../components/lists/item-row.tsx";
import { useProviderName } from "../../components/sign-in/external-provider-logos.tsx";
import {
  type SignInProvider,
  startExternalSignIn,
} from "../../components/sign-in/external-sign-in-start.ts";
import { toastError } from "../../components/toast-failure.ts";
import { useSession } from "../../session.ts";
import { useReauth } from "../../shell/use-reauth.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { toast } from "../../ui/toast.tsx";

type BindableProvider = {
  /** `account` is what the server calls it; undefined until something is bound. */
  account: { provider: ExternalAccountProvider; name: string } | undefined;
  /** `way` says how to bind it; undefined for a provider that is off or deleted. */
  way: SignInProvider | undefined;
  title: string;
};

/** Lists the bound accounts and the providers the operator offers. Hidden without either. */
export function BindingsCard() {
  const nameOf = useProviderName();
  const { status } = useSession();
  const accounts = useQuery(api.query(listExternalAccounts));
  const boundAccounts = accounts.data?.data ?? [];
  const offered: readonly SignInProvider[] = [
    ...listOfferedProviders(status),
    ...(status.proxy_login === true ? [proxyAccountProvider] : []),
  ];
  const known = [...externalProviders, proxyAccountProvider].map(
    (way): BindableProvider => ({
      way,
      title: nameOf(way),
      account: boundAccounts.find(({ provider }) => provider === way),
    }),
  );
  const oidc = (status.oidc_providers ?? []).map(({ slug, name }): BindableProvider => {
    const account = boundAccounts.find((one) => one.slug === slug);
    return { way: `oidc/${slug}`, title: name, account };
  });
  const lost = boundAccounts
    .filter(({ provider, slug }) => provider.startsWith("oidc:") && slug === "")
    .map(
      (account): BindableProvider => ({
        way: undefined,
        title: account.provider.slice("oidc:".length),
        account,
      }),
    );
  const shown = [
    ...known.filter(
      ({ way, account }) => account !== undefined || (way !== undefined && offered.includes(way)),
    ),
    ...oidc,
    ...lost,
  ];
  if (accounts.error === null && shown.length === 0) return null;
  return (
    <Card
      title={<Trans>External accounts</Trans>}
      note={<Trans>A bound account signs you in without the password.</Trans>}
    >
      <ItemList source={accounts} rows={shown}>
        {(one) => <Binding key={one.way ?? one.title} {...one} />}
      </ItemList>
    </Card>
  );
}

function Binding({ account, way, title: word }: BindableProvider) {
  const { t } = useLingui();
  const { withReauth, dialog } = useReauth();
  const [busy, setBusy] = useState(false);
  const runBusy = async (run: () => Promise<unknown>) => {
    setBusy(true);
    try {
      await run();
    } catch (error) {
      toastError(error);
    }
    setBusy(false);
  };
  const unbind = async (provider: ExternalAccountProvider) => {
    await withReauth((credentials) =>
      api.call(unbindExternalAccount, { body: { provider, ...credentials } }),
    );
    toast(t`${word} account unbound`);
    await Promise.all([api.refresh(listExternalAccounts), api.refresh(getSelf)]);
  };
  const bind = (provider: SignInProvider) =>
    withReauth((credentials) =>
      startExternalSignIn(provider, { bind: true, ...(credentials && { credentials }) }),
    );
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 py-2 first:pt-0 last:pb-0">
      <div className="min-w-0 flex-1 basis-28">
        <p dir="auto" className="truncate text-left font-medium">
          {word}
        </p>
        <p className="truncate text-muted text-sm">{account?.name ?? <Trans>Not bound</Trans>}</p>
      </div>
      {account === undefined && way !== undefined && (
        <Button
          size="sm"
          className="max-w-full"
          busy={busy}
          onClick={() => void runBusy(() => bind(way))}
        >
          <span className="truncate">
            <Trans>Bind {word}</Trans>
          </span>
        </Button>
      )}
      {account !== undefined && (
        <Button
          size="sm"
          variant="ghost"
          className="max-w-full"
          busy={busy}
          onClick={() => void runBusy(() => unbind(account.provider))}
        >
          <span className="truncate">
            <Trans>Unbind {word}</Trans>
          </span>
        </Button>
      )}
      {dialog}
    </li>
  );
}
