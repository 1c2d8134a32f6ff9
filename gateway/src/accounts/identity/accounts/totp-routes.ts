/** Routes of the second factor. */
import {
  confirmTotp,
  disableTotp,
  getTotpStatus,
  resetTotp,
  setupTotp,
  setupTotpByGet,
} from "@tollgate/contract/accounts/totp.ts";
import { type ApiRoute, apiRoute } from "../../../http/api-route.ts";
import { type ChangeTotpDeps, createTotpEditor } from "./change-totp.ts";

export function buildTotpRoutes(deps: ChangeTotpDeps): ApiRoute[] {
  const { store, secondFactor } = deps;
  const change = createTotpEditor(deps);
  return [
    apiRoute(getTotpStatus, async ({ principal }) => {
      const isOn = (await secondFactor.of(principal.id)) !== undefined;
      return {
        totp_enabled: isOn,
        recovery_codes_left: isOn ? await store.recoveryCodesLeft(principal.id) : 0,
      };
    }),
    apiRoute(setupTotpByGet, (call) => change.setUp(call)),
    apiRoute(setupTotp, (call) => change.setUp(call, call.body.current_password)),
    apiRoute(confirmTotp, (call) => change.confirm(call.body, call)),
    apiRoute(disableTotp, (call) => change.disable(call.body, call)),
    apiRoute(resetTotp, (call) => change.reset(call.params.id, call)),
  ];
}
