import { useLingui } from "@lingui/react/macro";
import { listQuotaRequests } from "@tollgate/contract/quota-requests.ts";
import { createRedemptions, listRedemptions, searchRedemptions } from "@tollgate/contract/redemptions.ts";
import { ApiError, reasonOf, requestIdOf } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { codesOf } from "../../compat/redemption-compat.ts";
import { useCreation } from "../../components/use-creation.ts";
import { type RedemptionFormOutput, toRedemptionCreate } from "./redemption-form-values.ts";

/** `failure` is set when fewer codes were created than requested. */
export type CreatedCodes = {
  name: string;
  codes: readonly string[];
  failure?: { reason: string; requestId?: string | undefined };
};

/** Creates codes of one name. Rejects where there is none. */
export function useCodeCreation(): (values: RedemptionFormOutput) => Promise<CreatedCodes> {
  const { t } = useLingui();
  const create = useCreation(createRedemptions, [listRedemptions, searchRedemptions, listQuotaRequests]);
  return async (values) => {
    const body = toRedemptionCreate(values);
    try {
      return { name: body.name, codes: (await create(body)).data };
    } catch (error) {
      const codes = error instanceof ApiError ? codesOf(error.data) : [];
      if (codes.length === 0) throw error;
      await Promise.all([api.refresh(listRedemptions), api.refresh(searchRedemptions)]);
      const failure = { reason: reasonOf(error, t`Operation failed`), requestId: requestIdOf(error) };
      return { name: body.name, codes, failure };
    }
  };
}
