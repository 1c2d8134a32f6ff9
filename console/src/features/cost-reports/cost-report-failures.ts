import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { CostReportFailure } from "@tollgate/contract/figures/cost-reports.ts";

export const costReportFailureTexts: Readonly<Record<CostReportFailure, MessageDescriptor>> = {
  refused_key: msg`The provider refused the report key. It must be an administrator's key of the account.`,
  rate_limited: msg`The provider wants fewer requests. The gateway tries again within an hour.`,
  provider_status: msg`The provider answered with an error. The gateway tries again within an hour.`,
  no_answer: msg`The provider did not answer within a minute. The gateway tries again within an hour.`,
  unreachable: msg`The provider could not be reached. The gateway tries again within an hour.`,
  unreadable: msg`The provider's answer has another form than its reference says.`,
  too_long: msg`The provider's report is longer than the gateway reads. Limit it to a project, workspace or key.`,
  address_changed: msg`The address of the channel changed. Enter the report key again.`,
  key_unreadable: msg`The report key was sealed with another master key. Enter it again.`,
};
