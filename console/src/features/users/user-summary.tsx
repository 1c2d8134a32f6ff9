import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import type { User } from "@tollgate/contract/accounts/users.ts";
import { buildUnixSeconds } from "../../compat/time-compat.ts";
import { isUnlimited } from "../../compat/user-compat.ts";
import { computeAmountTyped } from "../../components/forms/whole-number.ts";
import { StatusBadge } from "../../components/lists/status-badge.tsx";
import { Quota } from "../../components/quota.tsx";
import { isRoot, useSession } from "../../session.ts";
import { type ContractForm, useFieldValue } from "../../ui/form/form-contract.ts";
import { FormSummary, SummaryLine } from "../../ui/form/form-summary.tsx";
import { formatInteger, missing } from "../../ui/format.ts";
import { Time } from "../../ui/time.tsx";
import { AccountLinks, accountLinkStyle } from "./account-links.tsx";
import type { UserFormValues } from "./user-form-values.ts";
import { userStatuses } from "./user-labels.ts";

/** Shorter ones are temporary. */
const lastingPasswordMin = 8;

/**
 * The account that a form edits: its state, what it spent, and where its keys and calls are listed.
 */
export function UserSummary({ form, user }: { form: ContractForm<UserFormValues>; user: User }) {
  const { user: me } = useSession();
  const change = computeAmountTyped(useFieldValue(form, "quota")) - user.quota;
  const isChanged = !isUnlimited(user) && Number.isFinite(change) && change !== 0;
  return (
    <FormSummary title={<Trans>The account now</Trans>}>
      <SummaryLine name={<Trans>Status</Trans>}>
        <StatusBadge label={userStatuses[user.status]} />
      </SummaryLine>
      <SummaryLine name={<Trans>Balance</Trans>}>
        <Quota isOwn units={user.quota} unlimited={isUnlimited(user)} />
        {isChanged && (
          <p className="text-sm">
            {change > 0 ? (
              <Trans>
                Saving adds <Quota isOwn units={change} />
              </Trans>
            ) : (
              <Trans>
                Saving takes <Quota isOwn units={-change} /> away
              </Trans>
            )}
          </p>
        )}
      </SummaryLine>
      <SummaryLine name={<Trans>Spent</Trans>}>
        <Quota isOwn units={user.used_quota} />
      </SummaryLine>
      <SummaryLine name={<Trans>Requests</Trans>}>{formatInteger(user.request_count)}</SummaryLine>
      <SummaryLine name={<Trans>Created</Trans>}>
        <Time seconds={buildUnixSeconds(user.created_time, user.created_at)} />
      </SummaryLine>
      <SummaryLine name={<Trans>See also</Trans>}>
        <ul className="flex flex-col gap-1">
          <li>
            <Link
              to="/logs"
              search={{ username: user.username } as never}
              className={accountLinkStyle}
            >
              <Trans>Calls of this account</Trans>
            </Link>
          </li>
          <AccountLinks user={user} />
          {isRoot(me) && (
            <li>
              <Link
                to="/settings/changes"
                search={{ target: user.uuid } as never}
                className={accountLinkStyle}
              >
                <Trans>Changes of this account</Trans>
              </Link>
            </li>
          )}
        </ul>
      </SummaryLine>
    </FormSummary>
  );
}

/** `NewUserSummary` shows what an account with the values of the form begins with. */
export function NewUserSummary({ form }: { form: ContractForm<UserFormValues> }) {
  const username = useFieldValue(form, "username").trim();
  const mail = useFieldValue(form, "email").trim();
  const password = useFieldValue(form, "password");
  const group = useFieldValue(form, "group");
  return (
    <FormSummary title={<Trans>The new account</Trans>}>
      <SummaryLine name={<Trans>Signs in as</Trans>}>
        {username === "" ? missing : username}
        {mail !== "" && <p>{mail}</p>}
      </SummaryLine>
      <SummaryLine name={<Trans>Password</Trans>}>
        {password === "" ? (
          missing
        ) : password.length < lastingPasswordMin ? (
          <Trans>Temporary: the user chooses a new one at the first sign-in</Trans>
        ) : (
          <Trans>Left unchanged; the user can change it</Trans>
        )}
      </SummaryLine>
      <SummaryLine name={<Trans>Starts with</Trans>}>
        <Quota isOwn units={computeAmountTyped(useFieldValue(form, "quota"))} />
      </SummaryLine>
      <SummaryLine name={<Trans>Reaches</Trans>}>
        <Trans>Channels that are open to {group}</Trans>
      </SummaryLine>
      <SummaryLine name={<Trans>Role</Trans>}>
        <Trans>Regular user; make it an administrator from the menu of its row</Trans>
      </SummaryLine>
    </FormSummary>
  );
}
