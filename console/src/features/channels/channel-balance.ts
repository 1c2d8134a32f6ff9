import { useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { updateBalanceByGet } from "@tollgate/contract/catalogue/channel-actions.ts";
import {
  type Channel,
  listChannels,
  searchChannels,
} from "@tollgate/contract/catalogue/channels.ts";
import { findRequestId, readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { toast } from "../../ui/toast.tsx";
import { formatBalance } from "./channel-screen-rules.ts";

/** Asks the provider for the account's balance. */
export function useBalanceUpdate(channel: Channel): { isRunning: boolean; run: () => void } {
  const { t } = useLingui();
  const update = useMutation(
    api.mutation(updateBalanceByGet, { refreshes: [listChannels, searchChannels] }),
  );
  const { name } = channel;
  const run = () =>
    update.mutate(
      { params: { id: readEntityRef(channel) } },
      {
        onSuccess: ({ balance }) =>
          toast(t`Balance updated`, { detail: `${name}: ${formatBalance(channel, balance)}` }),
        onError: (error) =>
          toast(readReason(error, t`Operation failed`), {
            tone: "bad",
            detail: findRequestId(error) ?? name,
          }),
      },
    );
  return { isRunning: update.isPending, run };
}
