import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import { createChannel, listChannels, searchChannels } from "@tollgate/contract/channels.ts";
import { useCreation } from "../../components/use-creation.ts";
import { Page } from "../../ui/page.tsx";
import { ChannelForm } from "./channel-form.tsx";
import { newChannel, toChannelCreate } from "./channel-form-values.ts";

export function ChannelAddPage() {
  const { t } = useLingui();
  const navigate = useNavigate();
  const create = useCreation(createChannel, [listChannels, searchChannels]);
  return (
    <Page title={t`Create Channel`} subtitle={t`Connect an account at a provider`}>
      <ChannelForm
        initial={newChannel}
        submit={<Trans>Create Channel</Trans>}
        submitting={<Trans>Creating...</Trans>}
        onSubmit={async (values) => {
          await create(toChannelCreate(values));
          await navigate({ to: "/channels", state: { message: t`Channel created successfully` } });
        }}
      />
    </Page>
  );
}
