import { Trans } from "@lingui/react/macro";
import type { Log } from "@tollgate/contract/figures/logs.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { formatDurationMs } from "../../ui/format.ts";
import { Time } from "../../ui/time.tsx";
import { ItemRow, ItemText, ItemTitle } from "../lists/item-row.tsx";
import { Quota } from "../quota.tsx";
import { useLogText } from "../texts/log-text.ts";

/**
 * A call in a list; a press leads to its trace. `who` names user and key, where the reader does not
 * know them from the page; `team` is that of the page.
 */
export function CallItem({ call, who = "", team }: { call: Log; who?: string; team?: string }) {
  const textOf = useLogText();
  // What was done to the balance of a team stands among its calls.
  const isCall = call.trace_id !== "";
  return (
    <ItemRow>
      <ItemText>
        <ItemTitle>
          <span dir="auto" className="[overflow-wrap:anywhere]">
            {isCall ? call.model_name : textOf(call)}
          </span>
        </ItemTitle>
        <p className="text-muted text-sm">
          {who !== "" && <span dir="auto">{who} · </span>}
          <Time seconds={call.created_at} />
          {isCall && <> · {formatDurationMs(call.elapsed_time)}</>}
        </p>
        {isCall && call.outcome !== "success" && (
          <p className="text-bad text-sm [overflow-wrap:anywhere]">{call.content}</p>
        )}
      </ItemText>
      {isCall && (
        <div className="flex items-center gap-3">
          <Quota units={call.quota} isOwn />
          <ButtonLink
            size="sm"
            to="/logs"
            search={{ ...(team !== undefined && { team }), trace: call.uuid } as never}
          >
            <Trans>Trace</Trans>
          </ButtonLink>
        </div>
      )}
    </ItemRow>
  );
}
