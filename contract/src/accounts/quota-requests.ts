/**
 * Quota that an administrator wanted to issue above `AdminIssueLimit`, until root decides. Above
 * the limit an act is refused with `quota_waits_for_root`, and a request stands for it; only a new
 * account is created, and its first quota waits.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { byId } from "../api/ids.ts";
import { unixMillis } from "../api/scalars.ts";

/** A grant to a user, new redemption codes, or another value of an unused code. */
export const quotaRequestKinds = ["user", "codes", "code"] as const;
export type QuotaRequestKind = (typeof quotaRequestKinds)[number];

export const quotaRequest = z.object({
  id: z.int(),
  kind: z.enum(quotaRequestKinds),
  /** Units that an approval issues in total. */
  amount: z.int(),
  /** Units of the grant or of each code. */
  quota: z.int(),
  /** Codes; 1 for other kinds. */
  count: z.int(),
  /** The name of the codes, or the remark of a grant. */
  name: z.string(),
  /**
   * The user or code that receives the quota; empty for new codes, and for a thing that was
   * deleted.
   */
  target_uuid: z.string(),
  target_name: z.string(),
  requested_by: z.int(),
  requested_by_name: z.string(),
  created_at: unixMillis,
});
export type QuotaRequest = z.output<typeof quotaRequest>;

export const listQuotaRequests = endpoint("GET", "/api/quota_request/", {
  access: "admin",
  scope: "users:read",
  summary:
    "Requests that wait for root, oldest first: all for root, the own ones for other administrators",
  data: z.array(quotaRequest),
});

export const approveQuotaRequest = endpoint("POST", "/api/quota_request/:id/approve", {
  access: "root",
  scope: "none",
  summary: "Issue what an administrator asked for",
  params: byId,
});

export const refuseQuotaRequest = endpoint("DELETE", "/api/quota_request/:id", {
  access: "admin",
  scope: "none",
  summary: "Refuse a request as root, or withdraw an own one",
  params: byId,
});
