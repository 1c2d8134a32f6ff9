/** An account as replies show it. */
import type { User } from "@tollgate/contract/accounts/users.ts";
import type { UserAccount } from "./user-store.ts";

export const viewUser = (account: UserAccount): User => ({
  id: account.id,
  uuid: account.uuid,
  username: account.username,
  display_name: account.display_name,
  role: account.role,
  read_only: account.read_only === 1,
  status: account.status,
  email: account.email,
  github_id: "",
  wechat_id: "",
  lark_id: "",
  oidc_id: "",
  quota: account.balance,
  debt: account.debt,
  used_quota: account.used_quota,
  request_count: account.request_count,
  group: account.group,
  aff_code: "",
  inviter_uuid: account.inviter_uuid,
  mcp_tool_blacklist: [],
  metadata: {},
  external_id: account.external_id ?? "",
  must_change_password: account.must_change_password === 1,
  created_time: Math.floor(account.created_at / 1000),
  created_at: account.created_at,
  updated_at: account.updated_at,
});
