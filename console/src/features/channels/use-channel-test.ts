import { useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import {
  type Channel,
  getChannel,
  listChannels,
  searchChannels,
  testChannelByGet,
} from "@tollgate/contract/catalogue/channels.ts";
import { ApiError } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { findFailureWords } from "../../components/failures/failure-words.ts";
import { formatDecimal } from "../../ui/format.ts";
import { toast } from "../../ui/toast.tsx";

/** Sends a test call through the channel. It may take two minutes and does not block the list. */
export function useChannelTest(channel: Channel): { isRunning: boolean; run: () => void } {
  const { t, i18n } = useLingui();
  const test = useMutation(api.mutation(testChannelByGet));
  const { name } = channel;
  const run = () =>
    test.mutate(
      { params: { id: readEntityRef(channel) } },
      {
        onSuccess: ({ time, modelName }) => {
          const seconds = formatDecimal(time, 2);
          const took = Number.isNaN(time) ? modelName : t`${modelName} in ${seconds} s`;
          toast(t`Channel test successful!`, { detail: [name, took].filter(Boolean).join(": ") });
        },
        onError: (error) => {
          const words = findFailureWords(error.message);
          const detail =
            words === undefined ? name : `${name}: ${i18n._(words.what)}. ${i18n._(words.remedy)}`;
          toast(testErrorMessage(error), { tone: "bad", detail });
        },
        // A failed test changes the row as well: it clears the response time.
        onSettled: () =>
          void Promise.all(
            [listChannels, searchChannels, getChannel].map((read) => api.refresh(read)),
          ),
      },
    );
  const testErrorMessage = (error: Error) => {
    if (!(error instanceof ApiError) || error.status === 0) return t`Network error`;
    const reason = error.message || t`Unknown error`;
    return t`Channel test failed: ${reason}`;
  };
  return { isRunning: test.isPending, run };
}
