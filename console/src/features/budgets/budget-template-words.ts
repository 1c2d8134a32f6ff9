import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { TemplateSubject } from "@tollgate/contract/accounts/budget-templates.ts";

export const templateSubjectLabels: Record<TemplateSubject, MessageDescriptor> = {
  user: msg`Each new user`,
  token: msg`Each new key`,
};
