import { Trans, useLingui } from "@lingui/react/macro";
import type { RunDetails } from "@tollgate/contract/figures/runs.ts";
import type { ReactNode } from "react";
import { Quota } from "../../components/quota.tsx";
import { Figure, Figures } from "../../ui/figure.tsx";
import { formatCompact, formatDurationMs, formatInteger, missing } from "../../ui/format.ts";
import { Time } from "../../ui/time.tsx";

/** `RunFigures` are what one wants to know of a run first. */
export function RunFigures({ run }: { run: RunDetails }) {
  const failures = formatInteger(run.failures);
  const cached = formatInteger(run.cached_prompt_tokens);
  return (
    <Figures>
      <Figure label={<Trans>Cost</Trans>} isMain>
        <Quota units={run.quota} isOwn />
      </Figure>
      <Figure
        label={<Trans>Calls</Trans>}
        note={run.failures > 0 && <Trans>{failures} of them failed</Trans>}
      >
        {formatInteger(run.calls)}
      </Figure>
      <Figure
        label={<Trans>Tokens</Trans>}
        note={run.cached_prompt_tokens > 0 && <Trans>{cached} from the cache</Trans>}
      >
        {formatCompact(run.prompt_tokens + run.completion_tokens)}
      </Figure>
      <Figure label={<Trans>Time of the calls</Trans>}>
        {formatDurationMs(run.waiting_ms + run.generating_ms)}
      </Figure>
    </Figures>
  );
}

/** `RunReceipt` shows what a run comes to: the sums of its calls, to the unit. */
export function RunReceipt({ run }: { run: RunDetails }) {
  const { t } = useLingui();
  const written = formatInteger(run.cache_write_tokens);
  const cached = formatInteger(run.cached_prompt_tokens);
  const lines: readonly (readonly [name: string, value: ReactNode])[] = [
    [t`Cost`, <Quota key="cost" units={run.quota} isOwn />],
    [t`Quota units`, formatInteger(run.quota)],
    [t`Calls`, formatInteger(run.calls)],
    [t`Failed`, formatInteger(run.failures)],
    [t`Tried again`, formatInteger(run.retries)],
    [t`Prompt Tokens`, formatInteger(run.prompt_tokens)],
    [t`From the cache`, cached],
    [t`Into the cache`, written],
    [t`Completion Tokens`, formatInteger(run.completion_tokens)],
    [t`Waiting for answers`, formatDurationMs(run.waiting_ms)],
    [t`Generating answers`, formatDurationMs(run.generating_ms)],
    [t`First call`, <Time key="first" seconds={Math.floor(run.first_call_at / 1000)} />],
    [t`Last call`, <Time key="last" seconds={Math.floor(run.last_call_at / 1000)} />],
    [t`Username`, run.username || missing],
    [t`Key`, run.token_name || missing],
  ];
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 text-sm sm:grid-cols-[auto_1fr_auto_1fr]">
      {lines.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="tabular-nums [overflow-wrap:anywhere]">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
