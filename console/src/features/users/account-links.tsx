import { Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import type { User } from "@tollgate/contract/accounts/users.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { hasFeature, useSession } from "../../session.ts";

export const accountLinkStyle = "py-1 text-accent underline-offset-2 hover:underline";

/** `AccountLinks` are list items that lead to the keys of an account, and to whether they work. */
export function AccountLinks({ user }: { user: User }) {
  const { status } = useSession();
  return (
    <>
      {hasFeature(status, "all_tokens") && (
        <li>
          <Link
            to="/tokens"
            search={{ scope: "all", keyword: user.username } as never}
            className={accountLinkStyle}
          >
            <Trans>Keys of this account</Trans>
          </Link>
        </li>
      )}
      {hasFeature(status, "call_check") && (
        <li>
          <Link
            to="/tokens/check"
            search={{ user: readEntityRef(user) } as never}
            className={accountLinkStyle}
          >
            <Trans>Would a call work?</Trans>
          </Link>
        </li>
      )}
    </>
  );
}
