import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import {
  type ChannelJob,
  listChannelJobs,
  testChannelsByGet,
  updateBalancesByGet,
} from "@tollgate/contract/catalogue/channel-jobs.ts";
import { listChannels, searchChannels } from "@tollgate/contract/catalogue/channels.ts";
import { Activity, Wallet } from "lucide-react";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { api } from "../../api-queries.ts";
import { toastError } from "../../components/toast-failure.ts";
import { Button } from "../../ui/button.tsx";
import { toast } from "../../ui/toast.tsx";
import { showJobs } from "./channel-job-rules.ts";

/** Most visits see no job. */
const ChannelJobStatus = lazy(async () => ({
  default: (await import("./channel-job-status.tsx")).ChannelJobStatus,
}));

const pollMs = 1_000;
/** Dismissed results stay dismissed when the user leaves the page and returns. */
const dismissedJobs = new Set<number>();

/** The background jobs on channels. Polls while one is running. */
export function useChannelJobs() {
  const jobs = useQuery({
    ...api.query(listChannelJobs),
    refetchInterval: ({ state }) => (state.data?.data.some(isRunning) ? pollMs : false),
  });
  const all = jobs.data?.data ?? [];
  const states = jobs.data && all.map(({ id, state }) => `${id} ${state}`).join();
  const lastStates = useRef<string>(undefined);
  useEffect(() => {
    // A job changes rows of the list, so refetch it when the state of a job changes.
    if (lastStates.current !== undefined && states !== lastStates.current)
      void Promise.all([api.refresh(listChannels), api.refresh(searchChannels)]);
    lastStates.current = states;
  }, [states]);
  return all;
}

export function ChannelJobButtons({ jobs }: { jobs: readonly ChannelJob[] }) {
  const { t } = useLingui();
  const handlers = {
    onSuccess: ({ data }: { data: ChannelJob }) => {
      // A compatible server starts its job too, but sends no job.
      if (Number.isNaN(data.id)) toast(t`Started in the background`, { tone: "info" });
      return api.refresh(listChannelJobs);
    },
    onError: toastError,
  };
  const test = useMutation({ ...api.mutation(testChannelsByGet), ...handlers });
  const balances = useMutation({ ...api.mutation(updateBalancesByGet), ...handlers });
  const isKindRunning = (kind: ChannelJob["kind"]) =>
    jobs.some((job) => job.kind === kind && isRunning(job));
  return (
    <>
      <Button
        icon={<Activity />}
        busy={test.isPending || isKindRunning("test")}
        onClick={() => test.mutate({ query: { scope: "all" } })}
      >
        <Trans>Test All</Trans>
      </Button>
      <Button
        icon={<Wallet />}
        busy={balances.isPending || isKindRunning("balance")}
        onClick={() => balances.mutate({})}
      >
        <Trans>Update Balances</Trans>
      </Button>
    </>
  );
}

export function ChannelJobs({ jobs }: { jobs: readonly ChannelJob[] }) {
  const [, rerender] = useState(0);
  return showJobs(jobs, dismissedJobs, Date.now()).map((job) => (
    <Suspense key={job.id}>
      <ChannelJobStatus
        job={job}
        onDismiss={() => {
          dismissedJobs.add(job.id);
          rerender(dismissedJobs.size);
        }}
      />
    </Suspense>
  ));
}

const isRunning = ({ state }: ChannelJob) => state === "running";
