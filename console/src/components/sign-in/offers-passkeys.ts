import type { SiteStatus } from "../../session.ts";

/** The server takes passkeys at the address of this page, and this browser has them. */
export function offersPasskeys({ passkey_login, server_address = "" }: SiteStatus): boolean {
  return (
    passkey_login === true &&
    URL.canParse(server_address) &&
    new URL(server_address).origin === location.origin &&
    typeof PublicKeyCredential === "function" &&
    "parseRequestOptionsFromJSON" in PublicKeyCredential
  );
}
