/** What a log row says, in the language of the reader where it has a code. */

import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { isLogEventCode, type LogEventCode } from "@tollgate/contract/figures/log-events.ts";
import type { Log } from "@tollgate/contract/figures/logs.ts";
import { buildQuotaStyle, useSession } from "../../session.ts";
import { formatQuota } from "../../ui/format.ts";

type LoggedText = Pick<Log, "content" | "code" | "params">;
type EventWords = Record<"amount" | "team" | "user" | "by", string>;

const eventTexts: Record<LogEventCode, (words: EventWords) => MessageDescriptor> = {
  transfer_to_team: ({ amount, team, user, by }) =>
    msg`${amount} from ${user} to the team ${team}, by ${by}`,
  transfer_from_team: ({ amount, team, user, by }) =>
    msg`${amount} from the team ${team} to ${user}, by ${by}`,
  quota_for_team: ({ amount, team, by }) => msg`${amount} new quota for the team ${team}, by ${by}`,
};

/** `useLogText` tells a row by its code; older rows and codes of a newer server by their text. */
export function useLogText(): (log: LoggedText) => string {
  const { t } = useLingui();
  const style = buildQuotaStyle(useSession().status);
  return ({ content, code, params = {} }) => {
    if (code === undefined || !isLogEventCode(code)) return content;
    const { quota, team, user, by } = params;
    const words = { team: String(team), user: String(user), by: String(by) };
    return t(eventTexts[code]({ ...words, amount: formatQuota(Number(quota), style) }));
  };
}
