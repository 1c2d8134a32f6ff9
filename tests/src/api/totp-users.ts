/** Users with a second factor, and the codes of their authenticator app. */
import { computeTotpCode } from "@tollgate/gateway/accounts/identity/totp/totp-code.ts";
import { type ManagementGateway, password, type TestApiClient } from "./management-gateway.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

function fromBase32(text: string): Uint8Array {
  const bits = [...text]
    .map((char) => alphabet.indexOf(char).toString(2).padStart(5, "0"))
    .join("");
  return Uint8Array.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** The code of the app at a time. */
export const codeAt = (secret: string, now: number) =>
  computeTotpCode(fromBase32(secret), Math.floor(now / 30_000));

export interface TotpUser {
  id: number;
  uuid: string;
  username: string;
  client: TestApiClient;
  secret: string;
  recoveryCodes: string[];
}

/** A user with the second factor on, half a minute after it was confirmed: that code is used up. */
export async function addTotpUser(
  gateway: Pick<ManagementGateway, "addUser" | "signIn" | "clock">,
  username: string,
  role = 1,
): Promise<TotpUser> {
  const user = await gateway.addUser(username, { role });
  const client = await gateway.signIn(username);
  const { data } = (await client("GET", "/api/user/totp/setup")).body;
  const totp_code = codeAt(data.secret, gateway.clock.now);
  const confirmed = await client("POST", "/api/user/totp/confirm", { body: { totp_code } });
  if (!confirmed.body.success) throw new Error(confirmed.body.message);
  gateway.clock.now += 60_000;
  return {
    ...user,
    client,
    secret: data.secret,
    recoveryCodes: confirmed.body.data.recovery_codes,
  };
}

export const logIn = (gateway: ManagementGateway, username: string, code: object = {}) =>
  gateway.visitor("POST", "/api/user/login", { body: { username, password, ...code } });

/** A code that is invalid at any time near this one. */
export function wrongCode(secret: string, now: number): string {
  const near = [-2, -1, 0, 1, 2].map((steps) => codeAt(secret, now + steps * 30_000));
  return (
    ["000000", "111111", "222222", "333333", "444444", "555555"].find(
      (code) => !near.includes(code),
    ) ?? ""
  );
}
