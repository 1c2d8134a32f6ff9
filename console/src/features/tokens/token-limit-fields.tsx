import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Plural, Trans } from "@lingui/react/macro";
import type { TokenLimitName } from "@tollgate/contract/accounts/token-restrictions.ts";
import type { Token } from "@tollgate/contract/accounts/tokens.ts";
import type { ComponentType } from "react";
import { formatCompact } from "../../ui/format.ts";

type TokenLimitField = {
  name: TokenLimitName;
  label: MessageDescriptor;
  Summary: ComponentType<Token>;
};

/** `tokenLimits` are what the form and the list show of each limit. */
export const tokenLimits: readonly TokenLimitField[] = [
  { name: "rpm_limit", label: msg`Requests per minute`, Summary: RequestsPerMinute },
  { name: "tpm_limit", label: msg`Tokens per minute`, Summary: TokensPerMinute },
  { name: "max_parallel_requests", label: msg`Parallel requests`, Summary: ParallelRequests },
];

function RequestsPerMinute({ rpm_limit }: Token) {
  const requests = formatCompact(rpm_limit);
  return (
    <Plural value={rpm_limit} one="1 request a minute" other={`${requests} requests a minute`} />
  );
}

function TokensPerMinute({ tpm_limit }: Token) {
  const tokens = formatCompact(tpm_limit);
  return <Trans>{tokens} tokens a minute</Trans>;
}

function ParallelRequests({ max_parallel_requests }: Token) {
  const places = formatCompact(max_parallel_requests);
  return <Trans>{places} in parallel</Trans>;
}
