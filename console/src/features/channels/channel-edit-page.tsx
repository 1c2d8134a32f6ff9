import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { type Channel, getChannel, listChannels, searchChannels, updateChannel } from "@tollgate/contract/channels.ts";
import { api } from "../../api-queries.ts";
import { FormLoading } from "../../components/form-loading.tsx";
import { Page } from "../../ui/page.tsx";
import { ChannelForm } from "./channel-form.tsx";
import { toChannelForm, toChannelUpdate } from "./channel-form-values.ts";

export function ChannelEditPage() {
  const { t } = useLingui();
  const { id = "" } = useParams({ strict: false });
  // Always the newest, and the one that was read when the form opened: what is typed belongs to that version.
  const channel = useQuery({ ...api.query(getChannel, { params: { id } }), gcTime: 0, refetchOnReconnect: false });
  return (
    <Page title={t`Edit Channel`} subtitle={t`Update channel settings`}>
      {channel.data === undefined || channel.error !== null ? (
        <FormLoading
          source={channel}
          text={t`Loading channel...`}
          fields={6}
          list={{ to: "/channels", word: t`Back to channels` }}
        />
      ) : (
        <EditChannelForm
          key={channel.dataUpdatedAt}
          channel={channel.data.data}
          onReload={() => void channel.refetch()}
        />
      )}
    </Page>
  );
}

function EditChannelForm({ channel, onReload }: { channel: Channel; onReload: () => void }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const update = useMutation(api.mutation(updateChannel, { refreshes: [listChannels, searchChannels] }));
  return (
    <ChannelForm
      initial={toChannelForm(channel)}
      read={channel}
      submit={<Trans>Update Channel</Trans>}
      submitting={<Trans>Updating...</Trans>}
      onReload={onReload}
      onSubmit={async (values) => {
        await update.mutateAsync({ body: toChannelUpdate(values, channel) });
        await navigate({ to: "/channels", state: { message: t`Channel updated successfully` } });
      }}
    />
  );
}
