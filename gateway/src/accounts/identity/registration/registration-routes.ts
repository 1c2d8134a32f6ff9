/** Routes for registration, verified mail addresses and password resets. */
import {
  bindEmail,
  bindEmailByGet,
  listResetWays,
  register,
  requestReset,
  requestResetByGet,
  resetPassword,
  sendVerification,
  sendVerificationByGet,
} from "@tollgate/contract/accounts/registration.ts";
import { type ApiRoute, apiRoute } from "../../../http/api-route.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import type { StrangerCheck } from "../captcha/check-stranger.ts";
import { createRegistration, type RegistrationDeps } from "./register-user.ts";
import { createPasswordReset, type PasswordResetDeps } from "./reset-password.ts";
import type { AddressVerification } from "./verify-address.ts";

interface RegistrationRoutesDeps extends RegistrationDeps, PasswordResetDeps {
  address: AddressVerification;
  strangerCheck: StrangerCheck;
}

export function buildRegistrationRoutes({
  address,
  strangerCheck,
  ...deps
}: RegistrationRoutesDeps): ApiRoute[] {
  const registerUser = createRegistration(deps);
  const reset = createPasswordReset(deps);
  const verify = async (email: string, call: RequestContext) => {
    await strangerCheck.of("verify", call);
    await address.send(email, call);
  };
  const mailLink = async (email: string, call: RequestContext) => {
    await strangerCheck.of("reset", call);
    await reset.request(email, call);
  };
  return [
    apiRoute(sendVerificationByGet, (call) => verify(call.query.email, call)),
    apiRoute(sendVerification, (call) => verify(call.body.email, call)),
    apiRoute(register, async (call) => {
      await strangerCheck.of("register", call);
      await registerUser(call.body, call);
    }),
    apiRoute(requestResetByGet, (call) => mailLink(call.query.email, call)),
    apiRoute(requestReset, (call) => mailLink(call.body.email, call)),
    apiRoute(listResetWays, (call) => reset.ways(call.body, call)),
    apiRoute(resetPassword, (call) => reset.complete(call.body, call)),
    apiRoute(bindEmailByGet, (call) => address.bind(call.query, call)),
    apiRoute(bindEmail, (call) => address.bind(call.body, call)),
  ];
}
