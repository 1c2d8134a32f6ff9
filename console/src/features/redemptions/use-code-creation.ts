import { useLingui } from "@lingui/react/macro";
import { listQuotaRequests } from "@tollgate/contract/accounts/quota-requests.ts";
import {
  createRedemptions,
  listRedemptions,
  searchRedemptions,
} from "@tollgate/contract/accounts/redemptions.ts";
import { ApiError, findRequestId, readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { listCodes } from "../../compat/redemption-compat.ts";
import { useCreation } from "../../components/forms/use-creation.ts";
import { buildRedemptionCreate, type RedemptionFormOutput } from "./redemption-form-values.ts";

/** `failure` is set when fewer codes were created than requested. */
export type CreatedCodes = {
  name: string;
  codes: readonly string[];
  failure?: { reason: string; requestId?: string | undefined };
};

/** Creates codes of one name. Rejects where there is none. */
export function useCodeCreation(): (values: RedemptionFormOutput) => Promise<CreatedCodes> {
  const { t } = useLingui();
  const create = useCreation(createRedemptions, [
    listRedemptions,
    searchRedemptions,
    listQuotaRequests,
  ]);
  return async (values) => {
    const body = buildRedemptionCreate(values);
    try {
      return { name: body.name, codes: (await create(body)).data };
    } catch (error) {
      const codes = error instanceof ApiError ? listCodes(error.data) : [];
      if (codes.length === 0) throw error;
      await Promise.all([api.refresh(listRedemptions), api.refresh(searchRedemptions)]);
      const failure = {
        reason: readReason(error, t`Operation failed`),
        requestId: findRequestId(error),
      };
      return { name: body.name, codes, failure };
    }
  };
}
