/** What a log row says, in the language of the reader where it has a code. */

import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import type { LogEventCode, LogEventParams } from "@tollgate/contract/figures/log-events.ts";
import type { Log } from "@tollgate/contract/figures/logs.ts";
import { buildQuotaStyle, useSession } from "../../session.ts";
import { formatDate, formatInteger, formatQuota } from "../../ui/format.ts";
import { writeReason } from "./disabling-words.ts";

type LoggedText = Pick<Log, "content" | "code" | "params">;

/** The facts of an event as texts. */
interface EventWords {
  amount: string;
  /** The balances around an edit. */
  from: string;
  to: string;
  why: string;
  count: string;
  moment: string;
}

const eventTexts: {
  [Code in LogEventCode]: (
    params: Omit<LogEventParams[Code], keyof EventWords>,
    words: EventWords,
  ) => MessageDescriptor;
} = {
  transfer_to_team: ({ team, user, by }, { amount }) =>
    msg`${amount} from ${user} to the team ${team}, by ${by}`,
  transfer_from_team: ({ team, user, by }, { amount }) =>
    msg`${amount} from the team ${team} to ${user}, by ${by}`,
  quota_for_team: ({ team, by }, { amount }) =>
    msg`${amount} new quota for the team ${team}, by ${by}`,
  transfer_to_user: ({ sender, recipient }, { amount }) =>
    msg`${amount} from ${sender} to ${recipient}`,
  new_account: (_, { amount }) => msg`${amount} for a new account`,
  invitation_used: (_, { amount }) => msg`${amount} for using an invitation code`,
  invitation_reward: ({ user }, { amount }) => msg`${amount} for inviting ${user}`,
  quota_changed: ({ by }, { from, to }) => msg`Quota ${from} → ${to}, changed by ${by}`,
  topped_up: ({ remark }, { amount }) =>
    remark === ""
      ? msg`${amount} given by an administrator`
      : msg`${amount} given by an administrator: ${remark}`,
  code_redeemed: (_, { amount }) => msg`${amount} by redemption code`,
  debt_waived: ({ by }, { amount }) => msg`Debt of ${amount} waived by ${by}`,
  debt_of_deleted: ({ by }, { amount }) =>
    msg`Debt of ${amount} written off: ${by} deleted the account`,
  logs_deleted: (_, { count, moment }) => msg`Deleted ${count} log rows from before ${moment}`,
  channel_disabled: ({ channel }, { why }) =>
    msg`Channel ${channel} was disabled automatically. ${why}`,
  channel_enabled: ({ channel }) => msg`Channel ${channel} was enabled again: its test passed`,
  channel_key_disabled: ({ place, hint, channel }, { why }) =>
    msg`The key ${place} (…${hint}) of channel ${channel} was disabled automatically. ${why}`,
};

/** `useLogText` tells a row by its code; older rows and codes of a newer server by their text. */
export function useLogText(): (log: LoggedText) => string {
  const { t } = useLingui();
  const style = buildQuotaStyle(useSession().status);
  const money = (units: unknown) => formatQuota(Number(units), style);
  return ({ content, code = "", params = {} }) => {
    if (!Object.hasOwn(eventTexts, code)) return content;
    const write = eventTexts[code as LogEventCode] as (
      params: LoggedText["params"],
      words: EventWords,
    ) => MessageDescriptor;
    const { quota, before, after, rows, reason } = params;
    return t(
      write(params, {
        amount: money(quota),
        from: money(before),
        to: money(after),
        why: writeReason(String(reason), t),
        count: formatInteger(Number(rows)),
        moment: formatDate(new Date(before ?? 0)),
      }),
    );
  };
}
