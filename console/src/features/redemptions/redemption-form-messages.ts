import { useLingui } from "@lingui/react/macro";
import type { RedemptionFormMessages } from "./redemption-form-values.ts";

export function useRedemptionFormMessages(): RedemptionFormMessages {
  const { t } = useLingui();
  return {
    nameMissing: t`Name is required`,
    nameLong: t`Max 20 chars`,
    quota: t`Quota must be positive`,
    count: t`Count must be positive`,
    countHigh: t`At most 100 codes at once`,
  };
}
