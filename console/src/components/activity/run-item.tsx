import { Plural, useLingui } from "@lingui/react/macro";
import type { Run } from "@tollgate/contract/figures/runs.ts";
import { formatInteger } from "../../ui/format.ts";
import { RowLink } from "../../ui/table/row-link.tsx";
import { Time } from "../../ui/time.tsx";
import { ItemRow, ItemText, ItemTitle } from "../lists/item-row.tsx";
import { Quota } from "../quota.tsx";
import { RunBadge } from "./run-badge.tsx";

/** A run of an agent in a list; its name leads to its page. */
export function RunItem({ run, showsOwner }: { run: Run; showsOwner: boolean }) {
  const { t } = useLingui();
  const { calls } = run;
  const count = formatInteger(calls);
  const who = [showsOwner ? run.username : "", run.token_name]
    .filter((name) => name !== "")
    .join(" · ");
  return (
    <ItemRow>
      <ItemText>
        <ItemTitle>
          <RowLink
            to="/runs/$id"
            id={run.run}
            className="inline-flex min-h-6 items-center gap-1 rounded-sm text-ink no-underline hover:underline"
          >
            <span className="font-medium">{run.agent === "" ? t`Unknown agent` : run.agent}</span>
            <code className="font-mono text-muted text-sm">{run.run.slice(0, 8)}</code>
          </RowLink>
          <RunBadge run={run} />
        </ItemTitle>
        <p className="text-muted text-sm [overflow-wrap:anywhere]">
          {who !== "" && <>{who} · </>}
          <Time seconds={Math.floor(run.last_call_at / 1000)} />
        </p>
      </ItemText>
      <p className="tabular-nums sm:text-end">
        <Quota units={run.quota} isOwn />
        <span className="block text-muted text-sm">
          <Plural value={calls} one="1 call" other={`${count} calls`} />
        </span>
      </p>
    </ItemRow>
  );
}
