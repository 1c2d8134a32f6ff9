import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { createToken, listTokens, searchTokens } from "@tollgate/contract/accounts/tokens.ts";
import { pageSizeMax } from "@tollgate/contract/api/page.ts";
import {
  type Channel,
  createChannel,
  listChannels,
  searchChannels,
} from "@tollgate/contract/catalogue/channels.ts";
import { checkProvider } from "@tollgate/contract/catalogue/provider-check.ts";
import { KeyRound } from "lucide-react";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { useCreation } from "../../components/forms/use-creation.ts";
import { toastError } from "../../components/toast-failure.ts";
import type { CreatedKey } from "../../components/use-key/created-key.ts";
import { UseKey } from "../../components/use-key/use-key.tsx";
import { Alert } from "../../ui/alert.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { FilterField, Input } from "../../ui/form/input.tsx";
import { formatSeconds } from "../../ui/format.ts";
import { Page } from "../../ui/page.tsx";
import { type Account, ConnectForm } from "./connect-form.tsx";
import { type ConnectReply, findProof, proposeModels } from "./connect-proof.ts";
import { ConnectReport } from "./connect-report.tsx";
import { nameAccount, proposeName } from "./propose-name.ts";

const channelNameMax = 100;

type Checked = { account: Account; report: ConnectReply };

/**
 * `ChannelConnectPage` leads from a provider's key to a channel, an own key and the first call, on
 * one page.
 */
export function ChannelConnectPage() {
  const { t } = useLingui();
  const [checked, setChecked] = useState<Checked>();
  const [made, setMade] = useState<Channel>();
  const check = async (account: Account) => {
    const { data: report } = await api.call(checkProvider, { body: account });
    setChecked({ account, report });
  };
  return (
    <Page
      title={t`Connect a provider`}
      subtitle={t`Paste a key. You can change everything else later.`}
      action={
        <ButtonLink to="/channels/add">
          <Trans>All fields</Trans>
        </ButtonLink>
      }
    >
      {made === undefined ? (
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,26rem)_minmax(0,1fr)]">
          <ConnectForm onCheck={check} />
          {checked === undefined ? (
            <WhatHappens />
          ) : (
            <NewChannel
              key={JSON.stringify(checked)}
              {...checked}
              onRetry={check}
              onMade={setMade}
            />
          )}
        </div>
      ) : (
        <FirstKey
          channel={made}
          model={checked?.report.test?.model}
          onAnother={() => {
            setMade(undefined);
            setChecked(undefined);
          }}
        />
      )}
    </Page>
  );
}

function WhatHappens() {
  return (
    <Card title={<Trans>What Connect does</Trans>}>
      <ol className="flex list-decimal flex-col gap-1.5 pl-5 text-muted">
        <li>
          <Trans>It asks the provider which models the key may use.</Trans>
        </li>
        <li>
          <Trans>
            It sends one small question to the cheapest of them; that costs a fraction of a cent.
          </Trans>
        </li>
        <li>
          <Trans>
            It shows the models with their prices. Nothing is saved before you add the channel.
          </Trans>
        </li>
      </ol>
    </Card>
  );
}

type NewChannelProps = Checked & {
  /** Asks the provider again. */
  onRetry: (account: Account) => Promise<void>;
  onMade: (channel: Channel) => void;
};

function NewChannel({ account, report, onRetry, onMade }: NewChannelProps) {
  const { t } = useLingui();
  const [chosen, setChosen] = useState(() => proposeModels(report));
  const proposed = useProposedName(account);
  const [typed, setTyped] = useState<string>();
  const name = (typed ?? proposed).trim() || proposed;
  const proof = findProof(report);
  const retry = useMutation({ mutationFn: () => onRetry(account), onError: toastError });
  const create = useCreation(createChannel, [listChannels, searchChannels]);
  const add = useMutation({
    mutationFn: () =>
      create({
        name,
        type: account.type,
        key: account.key,
        base_url: account.base_url,
        models: [...chosen].join(","),
        group: "default",
        ...(report.test !== null && { tested: report.test }),
      }),
    onSuccess: ({ data: [channel] }) => channel !== undefined && onMade(channel),
    onError: toastError,
  });
  return (
    <ConnectReport
      report={report}
      chosen={chosen}
      onChoose={setChosen}
      name={
        <FilterField label={t`Channel name`}>
          {(id) => (
            <Input
              id={id}
              className="w-full"
              maxLength={channelNameMax}
              value={typed ?? proposed}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </FilterField>
      }
    >
      {proof === "nothing" ? (
        <>
          <Button variant="ghost" busy={add.isPending} onClick={() => add.mutate()}>
            <Trans>Add anyway</Trans>
          </Button>
          <Button variant="primary" busy={retry.isPending} onClick={() => retry.mutate()}>
            <Trans>Try again</Trans>
          </Button>
        </>
      ) : report.test?.ok === false ? (
        <Button busy={add.isPending} onClick={() => add.mutate()}>
          <Trans>Add without a working test</Trans>
        </Button>
      ) : (
        <Button variant="primary" busy={add.isPending} onClick={() => add.mutate()}>
          <Trans>Add channel</Trans>
        </Button>
      )}
    </ConnectReport>
  );
}

/** The name that the channel gets unless another is typed: one that no other channel has. */
function useProposedName(account: Account): string {
  const name = nameAccount(account);
  const query = { keyword: name, size: pageSizeMax };
  const sameNames = useQuery({
    ...api.query(searchChannels, { query }),
    select: ({ data }) => data,
  });
  return proposeName(
    name,
    (sameNames.data ?? []).map((channel) => channel.name),
  );
}

/** The channel is there; what is missing is a key of the gateway's own and a call with it. */
function FirstKey({
  channel,
  model,
  onAnother,
}: {
  channel: Channel;
  model: string | undefined;
  onAnother: () => void;
}) {
  const { t } = useLingui();
  const [key, setKey] = useState<CreatedKey>();
  const create = useCreation(createToken, [listTokens, searchTokens]);
  const { name } = channel;
  // A minute is enough to tell keys apart, and a name has at most 30 characters.
  const madeAt = formatSeconds(Date.now() / 1000).slice("2026-".length, -":00".length);
  const make = useMutation({
    // A name of its own, because the first call is found by it.
    mutationFn: () => create({ name: t`First key of ${madeAt}`, unlimited_quota: true }),
    onSuccess: ({ data }) => setKey(data),
    onError: toastError,
  });
  return (
    <>
      <Alert tone="good" title={t`The channel ${name} is added`}>
        {channel.models === "" && (
          <Trans>
            It offers no models yet, so no call can reach it. Choose models in its form.
          </Trans>
        )}
      </Alert>
      {key === undefined ? (
        <Card title={<Trans>A key for your programs</Trans>}>
          <div className="flex flex-wrap items-center justify-between gap-3">
            <p className="max-w-xl text-muted">
              <Trans>
                Your programs use a key of this gateway. The provider's key stays here. This key has
                no spending limit; set limits under Tokens.
              </Trans>
            </p>
            <div className="flex flex-wrap gap-2">
              <ButtonLink to="/channels" variant="ghost">
                <Trans>Later</Trans>
              </ButtonLink>
              <Button onClick={onAnother}>
                <Trans>Connect another provider</Trans>
              </Button>
              <Button
                variant="primary"
                icon={<KeyRound />}
                busy={make.isPending}
                onClick={() => make.mutate()}
              >
                <Trans>Create a key</Trans>
              </Button>
            </div>
          </div>
        </Card>
      ) : (
        <Card title={<Trans>Use this key</Trans>}>
          <UseKey name={key.name} apiKey={key.key} model={model} />
        </Card>
      )}
    </>
  );
}
