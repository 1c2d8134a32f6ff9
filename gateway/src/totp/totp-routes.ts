/** What the API answers about the second factor. */
import {
  confirmTotp,
  disableTotp,
  getTotpStatus,
  resetTotp,
  setupTotp,
  setupTotpByGet,
} from "@tollgate/contract/totp.ts";
import { answer, type Route } from "../http/answer.ts";
import { changeTotpWith, type TotpParts } from "./change-totp.ts";

export function totpRoutes(parts: TotpParts): Route[] {
  const { store, secondFactor } = parts;
  const change = changeTotpWith(parts);
  return [
    answer(getTotpStatus, async ({ caller }) => {
      const isOn = (await secondFactor.of(caller.id)) !== undefined;
      return { totp_enabled: isOn, recovery_codes_left: isOn ? await store.recoveryCodesLeft(caller.id) : 0 };
    }),
    answer(setupTotpByGet, (call) => change.setUp(call)),
    answer(setupTotp, (call) => change.setUp(call, call.body.current_password)),
    answer(confirmTotp, (call) => change.confirm(call.body, call)),
    answer(disableTotp, (call) => change.disable(call.body, call)),
    answer(resetTotp, (call) => change.reset(call.params.id, call)),
  ];
}
