import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import {
  type ChannelJob,
  cancelChannelJob,
  listChannelJobs,
} from "@tollgate/contract/catalogue/channel-jobs.ts";
import { X } from "lucide-react";
import { useId, useState } from "react";
import { api } from "../../api-queries.ts";
import { FailureText } from "../../components/failures/failure-text.tsx";
import { toastError } from "../../components/toast-failure.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { formatInteger } from "../../ui/format.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { ChangeOnly } from "../../ui/may-change.tsx";

type ChannelJobStatusProps = { job: ChannelJob; onDismiss: () => void };

/** The progress of a job, and its result for each channel. */
export function ChannelJobStatus({ job, onDismiss }: ChannelJobStatusProps) {
  const { t } = useLingui();
  const cancel = useMutation({
    ...api.mutation(cancelChannelJob, { refreshes: [listChannelJobs] }),
    onError: toastError,
  });
  const id = useId();
  const { kind, state, done, total, failed } = job;
  const isRunning = state === "running";
  const skipped = job.results.filter(({ outcome }) => outcome === "skipped").length;
  const name = kind === "test" ? t`Channel tests` : t`Balance updates`;
  const [isOpen, setOpen] = useState(false);
  const hasResults = !isRunning && job.results.length > 0;
  return (
    <section aria-labelledby={id} className="rounded-lg border border-line bg-card px-4 py-2">
      <div className="flex items-start gap-2">
        <div className="flex min-h-8 grow flex-wrap items-center gap-x-3">
          <h2 dir="auto" id={id} className="font-medium">
            {name}
          </h2>
          <JobStateBadge of={state} />
          <p className="text-muted text-sm tabular-nums" aria-live="polite">
            <Trans>
              {formatInteger(done)} of {formatInteger(total)}
            </Trans>
            {skipped > 0 && (
              <>
                {" · "}
                <Trans>{formatInteger(skipped)} skipped</Trans>
              </>
            )}
            {failed > 0 && (
              <span className="text-bad">
                {" · "}
                <Trans>{formatInteger(failed)} failed</Trans>
              </span>
            )}
          </p>
        </div>
        {hasResults && (
          <Button size="sm" variant="ghost" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <Trans>Results</Trans>
          </Button>
        )}
        {isRunning ? (
          <ChangeOnly>
            {" "}
            <Button
              size="sm"
              busy={cancel.isPending}
              onClick={() => cancel.mutate({ params: { id: job.id } })}
            >
              <Trans>Cancel</Trans>
            </Button>
          </ChangeOnly>
        ) : (
          <IconButton size="sm" label={t`Dismiss`} icon={<X />} onClick={onDismiss} />
        )}
      </div>
      {isRunning && (
        <progress
          aria-label={name}
          value={done}
          max={Math.max(total, 1)}
          className="my-1 h-1.5 w-full appearance-none overflow-hidden rounded-full bg-line [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-accent"
        />
      )}
      {hasResults && isOpen && <JobResults of={job} />}
    </section>
  );
}

function JobStateBadge({ of }: { of: ChannelJob["state"] }) {
  if (of === "running") return null;
  if (of === "done")
    return (
      <Badge tone="good">
        <Trans>Done</Trans>
      </Badge>
    );
  return (
    <Badge tone="warn">
      {of === "cancelled" ? <Trans>Cancelled</Trans> : <Trans>Interrupted</Trans>}
    </Badge>
  );
}

const tones = { passed: "text-good", failed: "text-bad", skipped: "text-muted" };

function JobResults({ of: { results, done } }: { of: ChannelJob }) {
  const { t } = useLingui();
  const outcomeLabels = { passed: t`Passed`, failed: t`Failed`, skipped: t`Skipped` };
  return (
    <ul className="mt-1 border-line border-t text-sm">
      {results.map(({ channel_id, channel_name, outcome, message }) => (
        <li
          key={channel_id}
          className="flex flex-wrap gap-x-4 border-line border-b py-1.5 last:border-b-0 sm:grid sm:grid-cols-[14rem_5rem_1fr]"
        >
          <span dir="auto" className="truncate font-medium">
            {channel_name}
          </span>
          <span className={tones[outcome]}>{outcomeLabels[outcome]}</span>
          <span className="w-full text-muted">
            <FailureText text={message} />
          </span>
        </li>
      ))}
      {results.length < done && (
        <li className="py-1.5 text-muted">
          <Trans>Showing the first {formatInteger(results.length)}.</Trans>
        </li>
      )}
    </ul>
  );
}
