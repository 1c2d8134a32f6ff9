import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import {
  type ExternalProvider,
  listExternalAccounts,
  unbindExternalAccount,
} from "@tollgate/contract/external-sign-in.ts";
import { getSelf } from "@tollgate/contract/sessions.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { startExternalSignIn } from "../../components/external-sign-in-start.ts";
import { CardLoading } from "../../components/form-loading.tsx";
import { toastError } from "../../components/toast-failure.ts";
import { useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { toast } from "../../ui/toast.tsx";
import { useReauth } from "./use-reauth.tsx";

const providerNames: Record<ExternalProvider, string> = { github: "GitHub", lark: "Lark" };

/** Lists the bound accounts and the providers the operator offers. Hidden without either. */
export function BindingsCard() {
  const { status } = useSession();
  const accounts = useQuery(api.query(listExternalAccounts));
  const boundAccounts = accounts.data?.data ?? [];
  const offered: Record<ExternalProvider, boolean> = {
    github: status.github_oauth === true,
    lark: (status.lark_client_id ?? "") !== "",
  };
  const shown = (["github", "lark"] as const).flatMap((provider) => {
    const account = boundAccounts.find((one) => one.provider === provider);
    return account !== undefined || offered[provider] ? [{ provider, name: account?.name }] : [];
  });
  if (accounts.error === null && shown.length === 0) return null;
  return (
    <Card
      title={<Trans>External accounts</Trans>}
      note={<Trans>A bound account signs you in without the password.</Trans>}
    >
      {accounts.data === undefined || accounts.error !== null ? (
        <CardLoading source={accounts} />
      ) : (
        <ul className="flex flex-col divide-y divide-line">
          {shown.map(({ provider, name }) => (
            <Binding key={provider} provider={provider} name={name} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function Binding({ provider, name }: { provider: ExternalProvider; name: string | undefined }) {
  const { t } = useLingui();
  const { withReauth, dialog } = useReauth();
  const [busy, setBusy] = useState(false);
  const word = providerNames[provider];
  const runBusy = async (run: () => Promise<unknown>) => {
    setBusy(true);
    try {
      await run();
    } catch (error) {
      toastError(error);
    }
    setBusy(false);
  };
  const unbind = async () => {
    await withReauth((credentials) => api.call(unbindExternalAccount, { body: { provider, ...credentials } }));
    toast(t`${word} account unbound`);
    await Promise.all([api.refresh(listExternalAccounts), api.refresh(getSelf)]);
  };
  const bind = () =>
    withReauth((credentials) => startExternalSignIn(provider, { bind: true, ...(credentials && { credentials }) }));
  return (
    <li className="flex items-center justify-between gap-3 py-2 first:pt-0 last:pb-0">
      <div className="min-w-0">
        <p className="font-medium">{word}</p>
        <p className="truncate text-muted text-sm">{name ?? <Trans>Not bound</Trans>}</p>
      </div>
      {name === undefined ? (
        <Button size="sm" busy={busy} onClick={() => void runBusy(bind)}>
          <Trans>Bind {word}</Trans>
        </Button>
      ) : (
        <Button size="sm" variant="ghost" busy={busy} onClick={() => void runBusy(unbind)}>
          <Trans>Unbind {word}</Trans>
        </Button>
      )}
      {dialog}
    </li>
  );
}
