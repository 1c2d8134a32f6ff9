import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Plural, Trans } from "@lingui/react/macro";
import {
  type TokenLimitName,
  tokenLimitNames,
} from "@tollgate/contract/accounts/token-restrictions.ts";
import type { ComponentType } from "react";

interface LimitWords {
  label: MessageDescriptor;
  /** `Summary` says a limit in a few words; `figure` is how its number is written there. */
  Summary: ComponentType<{ limit: number; figure: string }>;
}

const limitWords: Readonly<Record<TokenLimitName, LimitWords>> = {
  rpm_limit: { label: msg`Requests per minute`, Summary: RequestsPerMinute },
  tpm_limit: { label: msg`Tokens per minute`, Summary: TokensPerMinute },
  max_parallel_requests: { label: msg`Parallel requests`, Summary: ParallelRequests },
};

/** `tokenLimits` are what forms, lists and reports show of each limit of a key or a team. */
export const tokenLimits = tokenLimitNames.map((name) => ({ name, ...limitWords[name] }));

function RequestsPerMinute({ limit, figure }: { limit: number; figure: string }) {
  return <Plural value={limit} one="1 request a minute" other={`${figure} requests a minute`} />;
}

function TokensPerMinute({ figure: tokens }: { figure: string }) {
  return <Trans>{tokens} tokens a minute</Trans>;
}

function ParallelRequests({ figure: places }: { figure: string }) {
  return <Trans>{places} in parallel</Trans>;
}
