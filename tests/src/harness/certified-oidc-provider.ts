/**
 * The certified npm package `oidc-provider` with its own pages: any name signs in, in the groups
 * that are set here.
 */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

export const certifiedClient = {
  clientId: "tollgate",
  clientSecret: "a-secret-of-the-journey-with-enough-bytes",
};

/** `serve` begins to answer, once the address of the callback is known. */
export async function startCertifiedOidcProvider() {
  let answer: RequestListener = (_, response) => response.writeHead(503).end();
  const server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const groups = new Map<string, string[]>();
  const addresses = new Map<string, string>();
  return {
    url,
    /** The groups of each person, by the name that signs in. */
    groups,
    /** Verified addresses likewise. */
    addresses,
    serve(redirectUri: string): void {
      const provider = new Provider(url, {
        clients: [
          {
            client_id: certifiedClient.clientId,
            client_secret: certifiedClient.clientSecret,
            redirect_uris: [redirectUri],
            post_logout_redirect_uris: [new URL("/login", redirectUri).href],
            backchannel_logout_uri: `${redirectUri}/backchannel`,
          },
        ],
        cookies: { keys: ["a key that signs the cookies of a test"] },
        claims: {
          openid: ["sub"],
          profile: ["preferred_username", "name", "email", "email_verified"],
          groups: ["groups"],
        },
        // Its own one refuses addresses of this machine.
        fetch: (url, { method, headers, body }: RequestInit = {}) =>
          fetch(url, { method, headers, body } as RequestInit),
        features: { backchannelLogout: { enabled: true } },
        pkce: { required: () => true },
        findAccount: (_, id) => ({
          accountId: id,
          claims: () => ({
            sub: id,
            preferred_username: id,
            name: `Person ${id}`,
            groups: groups.get(id) ?? [],
            ...(addresses.has(id) && { email: addresses.get(id), email_verified: true }),
          }),
        }),
      });
      const callback = provider.callback();
      answer = (request, response) => void callback(request, response);
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
