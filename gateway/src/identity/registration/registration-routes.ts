/** Routes for registration, verified mail addresses and password resets. */
import {
  bindEmail,
  bindEmailByGet,
  register,
  requestReset,
  requestResetByGet,
  resetPassword,
  sendVerification,
  sendVerificationByGet,
} from "@tollgate/contract/registration.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { createRegistration, type RegistrationDeps } from "./register-user.ts";
import { createPasswordReset, type PasswordResetDeps } from "./reset-password.ts";
import type { AddressVerification } from "./verify-address.ts";

interface RegistrationRoutesDeps extends RegistrationDeps, PasswordResetDeps {
  address: AddressVerification;
}

export function registrationRoutes({ address, ...deps }: RegistrationRoutesDeps): ApiRoute[] {
  const registerUser = createRegistration(deps);
  const reset = createPasswordReset(deps);
  return [
    apiRoute(sendVerificationByGet, (call) => address.send(call.query.email, call)),
    apiRoute(sendVerification, (call) => address.send(call.body.email, call)),
    apiRoute(register, (call) => registerUser(call.body, call)),
    apiRoute(requestResetByGet, (call) => reset.request(call.query.email, call)),
    apiRoute(requestReset, (call) => reset.request(call.body.email, call)),
    apiRoute(resetPassword, (call) => reset.complete(call.body, call)),
    apiRoute(bindEmailByGet, (call) => address.bind(call.query, call)),
    apiRoute(bindEmail, (call) => address.bind(call.body, call)),
  ];
}
