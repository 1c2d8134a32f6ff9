/** The kinds of things that the record of changes is about. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { AuditSubject } from "@tollgate/contract/site/audit-actions.ts";

interface ChangeSubject {
  /** `label` is the name of the kind in the filter. */
  label: MessageDescriptor;
  /** `page` leads to one thing of the kind, by its uuid after it. */
  page?: string;
}

/** `null` stands for what happens too seldom to be filtered for. */
const changeSubjects: Readonly<Record<AuditSubject, ChangeSubject | null>> = {
  user: { label: msg`Users`, page: "/users/" },
  team: { label: msg`Teams`, page: "/teams/" },
  token: { label: msg`Tokens` },
  channel: { label: msg`Channels`, page: "/channels/" },
  redemption: { label: msg`Redemptions`, page: "/redemptions/edit/" },
  option: { label: msg`Settings` },
  budget: { label: msg`Budgets` },
  budget_template: { label: msg`Budget templates` },
  model_price: { label: msg`Prices` },
  virtual_model: { label: msg`Virtual models` },
  mcp_server: { label: msg`MCP servers` },
  management_key: { label: msg`Management keys` },
  oidc_provider: { label: msg`Identity providers` },
  destination: { label: msg`Destinations` },
  alert: { label: msg`Alerts` },
  session: { label: msg`Sessions` },
  passkey: { label: msg`Passkeys` },
  totp: { label: msg`Second factor` },
  external: { label: msg`External accounts` },
  run: { label: msg`Agent runs` },
  log: { label: msg`Logs` },
  body: { label: msg`Contents of calls` },
  import: { label: msg`Import` },
  agent: null,
  cost_report: null,
  master_key: null,
  model_end: null,
  notice: null,
  price_list: null,
  price_offer: null,
  quota_request: null,
  shadow: null,
};

/** `filteredSubjects` are those that a filter offers, with their names. */
export const filteredSubjects = Object.entries(changeSubjects).flatMap(([subject, facts]) =>
  facts ? [{ subject, label: facts.label }] : [],
);

/** `findChangePage` gives the path of the page of a thing; servers send other subjects too. */
export const findChangePage = (subject: string, uuid: string): string | undefined => {
  const page = (changeSubjects as Readonly<Record<string, ChangeSubject | null>>)[subject]?.page;
  return page && `${page}${uuid}`;
};
