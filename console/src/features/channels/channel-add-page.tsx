import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { createChannel, listChannels, searchChannels } from "@tollgate/contract/channels.ts";
import { api } from "../../api-queries.ts";
import { useIdempotencyKey } from "../../components/idempotency-key.ts";
import { Page } from "../../ui/page.tsx";
import { ChannelForm } from "./channel-form.tsx";
import { newChannel, toChannelCreate } from "./channel-form-values.ts";

export function ChannelAddPage() {
  const { t } = useLingui();
  const navigate = useNavigate();
  const create = useMutation(api.mutation(createChannel, { refreshes: [listChannels, searchChannels] }));
  const keyFor = useIdempotencyKey();
  return (
    <Page title={t`Create Channel`} subtitle={t`Connect an account at a provider`}>
      <ChannelForm
        initial={newChannel}
        submit={<Trans>Create Channel</Trans>}
        submitting={<Trans>Creating...</Trans>}
        onSubmit={async (values) => {
          const body = toChannelCreate(values);
          await create.mutateAsync({ body, idempotencyKey: keyFor(body) });
          await navigate({ to: "/channels", state: { message: t`Channel created successfully` } });
        }}
      />
    </Page>
  );
}
