import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import {
  type ChannelJob,
  cancelChannelJob,
  listChannelJobs,
  testChannelsByGet,
  updateBalancesByGet,
} from "@tollgate/contract/channel-jobs.ts";
import { listChannels, searchChannels } from "@tollgate/contract/channels.ts";
import { Activity, Wallet } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { api } from "../../api.ts";
import { toastFailure } from "../../pieces/toast-failure.ts";
import { Button } from "../../ui/button.tsx";
import { toast } from "../../ui/toast.tsx";
import { shownJobs } from "./channel-job-rules.ts";
import { ChannelJobStatus } from "./channel-job-status.tsx";

const askAgainMs = 1_000;
/** What was read and put away stays away, also when the page is left and entered again. */
const putAway = new Set<number>();

/** The background work on channels: what starts it, and how far it has come. */
export function useChannelJobs() {
  const jobs = useQuery({
    ...api.query(listChannelJobs),
    refetchInterval: ({ state }) => (state.data?.data.some(isRunning) ? askAgainMs : false),
  });
  const all = jobs.data?.data ?? [];
  const states = jobs.data && all.map(({ id, state }) => `${id} ${state}`).join();
  const seen = useRef<string>(undefined);
  useEffect(() => {
    // Rows show what a job has found; one that has just ended has found more.
    if (seen.current !== undefined && states !== seen.current)
      void Promise.all([api.refresh(listChannels), api.refresh(searchChannels)]);
    seen.current = states;
  }, [states]);
  return all;
}

export function ChannelJobButtons({ jobs }: { jobs: readonly ChannelJob[] }) {
  const { t } = useLingui();
  const tell = {
    onSuccess: ({ data }: { data: ChannelJob | null }) => {
      // Another server starts its work too, but tells nothing about it.
      if (data === null) toast(t`Started in the background`, { tone: "info" });
      return api.refresh(listChannelJobs);
    },
    onError: toastFailure,
  };
  const test = useMutation({ ...api.mutation(testChannelsByGet), ...tell });
  const balances = useMutation({ ...api.mutation(updateBalancesByGet), ...tell });
  const runs = (kind: ChannelJob["kind"]) => jobs.some((job) => job.kind === kind && isRunning(job));
  return (
    <>
      <Button
        icon={<Activity />}
        busy={test.isPending || runs("test")}
        onClick={() => test.mutate({ query: { scope: "all" } })}
      >
        <Trans>Test All</Trans>
      </Button>
      <Button icon={<Wallet />} busy={balances.isPending || runs("balance")} onClick={() => balances.mutate({})}>
        <Trans>Update Balances</Trans>
      </Button>
    </>
  );
}

export function ChannelJobs({ jobs }: { jobs: readonly ChannelJob[] }) {
  const [, setPutAway] = useState(0);
  const cancel = useMutation(api.mutation(cancelChannelJob, { refreshes: [listChannelJobs] }));
  return shownJobs(jobs, putAway, Date.now()).map((job) => (
    <ChannelJobStatus
      key={job.id}
      job={job}
      isCancelling={cancel.isPending}
      onCancel={() => cancel.mutate({ params: { id: job.id } }, { onError: toastFailure })}
      onPutAway={() => {
        putAway.add(job.id);
        setPutAway(putAway.size);
      }}
    />
  ));
}

const isRunning = ({ state }: ChannelJob) => state === "running";
