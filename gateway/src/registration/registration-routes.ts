/** What the API answers to those who want an account, or want theirs back. */
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
import { answer, type Route } from "../http/answer.ts";
import { type RegistrationParts, registerUserWith } from "./register-user.ts";
import { type ResetParts, resetPasswordWith } from "./reset-password.ts";
import { type AddressParts, verifyAddressWith } from "./verify-address.ts";

export function registrationRoutes(parts: RegistrationParts & ResetParts & AddressParts): Route[] {
  const registerUser = registerUserWith(parts);
  const reset = resetPasswordWith(parts);
  const address = verifyAddressWith(parts);
  return [
    answer(sendVerificationByGet, (call) => address.send(call.query.email, call)),
    answer(sendVerification, (call) => address.send(call.body.email, call)),
    answer(register, (call) => registerUser(call.body, call)),
    answer(requestResetByGet, (call) => reset.request(call.query.email, call)),
    answer(requestReset, (call) => reset.request(call.body.email, call)),
    answer(resetPassword, (call) => reset.complete(call.body, call)),
    answer(bindEmailByGet, (call) => address.bind(call.query, call)),
    answer(bindEmail, (call) => address.bind(call.body, call)),
  ];
}
