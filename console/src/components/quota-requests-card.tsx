import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import {
  approveQuotaRequest,
  listQuotaRequests,
  type QuotaRequest,
  refuseQuotaRequest,
} from "@tollgate/contract/accounts/quota-requests.ts";
import { listRedemptions, searchRedemptions } from "@tollgate/contract/accounts/redemptions.ts";
import { roles } from "@tollgate/contract/accounts/roles.ts";
import { listUsers, searchUsers } from "@tollgate/contract/accounts/user-admin.ts";
import { useState } from "react";
import { api } from "../api-queries.ts";
import { hasFeature, useSession } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { ChangeOnly } from "../ui/may-change.tsx";
import { Confirm } from "../ui/menu/confirm.tsx";
import { Time } from "../ui/time.tsx";
import { toast } from "../ui/toast.tsx";
import { Quota } from "./quota.tsx";

/**
 * `QuotaRequestsCard` shows what administrators want to issue above their daily limit: root
 * decides, they see their own. Nothing where nothing waits.
 */
export function QuotaRequestsCard() {
  const { status } = useSession();
  return hasFeature(status, "quota_requests") && <WaitingRequests />;
}

function WaitingRequests() {
  const { data: reply } = useQuery(api.query(listQuotaRequests));
  const isRoot = (useSession().user?.role ?? 0) >= roles.root;
  const requests = reply?.data ?? [];
  if (requests.length === 0) return null;
  return (
    <Card
      className="mb-4"
      title={
        isRoot ? (
          <Trans>Quota waits for your approval</Trans>
        ) : (
          <Trans>Quota waits for a super administrator</Trans>
        )
      }
      note={<Trans>It is more than an administrator may issue in one day.</Trans>}
    >
      <ul className="divide-y divide-line">
        {requests.map((request) => (
          <li key={request.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 py-2">
            <span className="min-w-0 grow [overflow-wrap:anywhere]">
              <RequestedIssue request={request} />
              <span className="block text-muted text-sm">
                {request.requested_by_name},{" "}
                <Time seconds={Math.floor(request.created_at / 1000)} />
              </span>
            </span>
            <RequestVerbs request={request} isRoot={isRoot} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function RequestedIssue({
  request: { kind, amount, quota, count, name, target_name },
}: {
  request: QuotaRequest;
}) {
  if (kind === "codes")
    return (
      <Trans>
        <Quota units={amount} /> as{" "}
        <Plural value={count} one="# redemption code" other="# redemption codes" /> named {name},{" "}
        <Quota units={quota} /> each
      </Trans>
    );
  if (kind === "code")
    return (
      <Trans>
        <Quota units={amount} /> more for the redemption code {target_name}, which is then worth{" "}
        <Quota units={quota} />
      </Trans>
    );
  return (
    <Trans>
      <Quota units={amount} /> for the account {target_name}
    </Trans>
  );
}

function RequestVerbs({ request, isRoot }: { request: QuotaRequest; isRoot: boolean }) {
  const { t } = useLingui();
  const [asked, setAsked] = useState<"approve" | "refuse">();
  const refreshes = [listQuotaRequests, listUsers, searchUsers, listRedemptions, searchRedemptions];
  const approve = useMutation(api.mutation(approveQuotaRequest, { refreshes }));
  const refuse = useMutation(api.mutation(refuseQuotaRequest, { refreshes }));
  const target = { params: { id: request.id } };
  const refusal = isRoot ? t`Refuse` : t`Withdraw`;
  return (
    <ChangeOnly>
      {" "}
      <span className="flex gap-2">
        {isRoot && (
          <Button size="sm" variant="primary" onClick={() => setAsked("approve")}>
            <Trans>Approve</Trans>
          </Button>
        )}
        <Button size="sm" onClick={() => setAsked("refuse")}>
          {refusal}
        </Button>
        <Confirm
          open={asked !== undefined}
          onClose={() => setAsked(undefined)}
          title={<RequestedIssue request={request} />}
          question={
            asked === "approve"
              ? t`Are you sure? The quota is issued at once.`
              : t`Are you sure? The quota is not issued, and the request ends.`
          }
          confirmLabel={asked === "approve" ? t`Approve` : refusal}
          onConfirm={async () => {
            if (asked === "approve") await approve.mutateAsync(target);
            else await refuse.mutateAsync(target);
            toast(asked === "approve" ? t`The quota is issued` : t`The request is ended`);
          }}
        />
      </span>
    </ChangeOnly>
  );
}
