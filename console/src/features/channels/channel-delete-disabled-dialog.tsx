import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { deleteDisabledChannels } from "@tollgate/contract/catalogue/channel-actions.ts";
import { channelStatus, listChannels } from "@tollgate/contract/catalogue/channels.ts";
import { api } from "../../api-queries.ts";
import { Confirm } from "../../ui/menu/confirm.tsx";
import { toast } from "../../ui/toast.tsx";
import { channelLists } from "./channel-lists.ts";

const { disabled } = channelStatus;

export function DeleteDisabledDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const remove = useMutation(api.mutation(deleteDisabledChannels, { refreshes: channelLists }));
  return (
    <Confirm
      open
      onClose={onClose}
      title={t`Delete Disabled`}
      question={
        <>
          <Trans>
            Are you sure you want to delete all disabled channels? This action cannot be undone.
          </Trans>{" "}
          <DisabledCount />
        </>
      }
      confirmLabel={<Trans>Delete</Trans>}
      onConfirm={async () => {
        const { data } = await remove.mutateAsync({});
        const count = data;
        toast(<Plural value={count} one="# channel is deleted" other="# channels are deleted" />);
      }}
    />
  );
}

/** Shows the number only if the server applied the filter; a compatible server may ignore it. */
function DisabledCount() {
  const found = useQuery({
    ...api.query(listChannels, { query: { status: disabled, size: 1 } }),
    gcTime: 0,
  });
  const isFiltered = found.data?.data.every(
    (channel) => channel.status === disabled && "disabled_reason" in channel,
  );
  if (found.data === undefined || !isFiltered) return null;
  const { total } = found.data;
  return (
    <span className="mt-3 block">
      <Plural
        value={total}
        _0="No channel is disabled."
        one="# channel is disabled by hand."
        other="# channels are disabled by hand."
      />{" "}
      <Trans>Automatically disabled ones stay.</Trans>
    </span>
  );
}
