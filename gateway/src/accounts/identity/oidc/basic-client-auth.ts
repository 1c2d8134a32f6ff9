/** Client id and secret in the header of token requests (RFC 6749, section 2.3.1). Pure. */

/**
 * Encodes what decoding would change, and nothing more. The library encodes `-`, `.` and `_` too,
 * which the standard allows: Google and authentik do not decode, and each client id of Google holds
 * them (panva/oauth4webapi#165, goauthentik/authentik#20739).
 */
const formEncoded = (text: string): string => encodeURIComponent(text).replaceAll("%20", "+");

/** `makeBasicClientAuth` makes the function that the library takes in the place of its own. */
export const makeBasicClientAuth =
  (clientSecret: string) =>
  (_server: unknown, client: { client_id: string }, _body: unknown, headers: Headers): void => {
    const credentials = `${formEncoded(client.client_id)}:${formEncoded(clientSecret)}`;
    headers.set("authorization", `Basic ${btoa(credentials)}`);
  };
