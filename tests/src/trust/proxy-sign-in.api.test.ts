// Sign-in by a reverse proxy: nginx with `auth_request`, set up as docs/operations.md says.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { finishProxySignIn, newOauthState } from "@tollgate/contract/accounts/external-sign-in.ts";
import { getSelf } from "@tollgate/contract/accounts/sessions.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FrontingProxy } from "../harness/fronting-proxy.ts";
import { nginxAvailable, startNginx } from "../harness/nginx-server.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";

const secret = "a-secret-of-nginx-and-gateway";

/** Knows who is signed in by a cookie of its own, as Authelia does. */
async function startSignInService(): Promise<Server> {
  const server = createServer((request, response) => {
    const person = /person=([\w.-]+)/.exec(request.headers.cookie ?? "")?.[1];
    if (person) response.setHeader("Remote-User", person);
    response.writeHead(person ? 200 : 401).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

if (nginxAvailable().available)
  describe("nginx with auth_request in front of the gateway", () => {
    let gateway: TestGateway;
    let service: Server;
    let nginx: FrontingProxy;
    beforeAll(async () => {
      service = await startSignInService();
      const env = {
        TRUSTED_PROXIES: "127.0.0.1",
        TRUSTED_SIGN_IN_HEADER: "Remote-User",
        TRUSTED_SIGN_IN_SECRET_HEADER: "Proxy-Secret",
        TRUSTED_SIGN_IN_SECRET: secret,
      };
      gateway = await startTestGateway({ env });
      await gateway.given.channel({ key: "sim-ok" });
      nginx = await startNginx(gateway.url, {
        signIn: {
          service: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
          secret,
        },
      });
    });
    afterAll(async () => {
      await nginx.stop();
      service.close();
      await gateway.close();
    });

    const ask = async (url: string, headers: Record<string, string>) => {
      const response = await fetch(url, { headers, redirect: "manual" });
      const text = await response.text();
      // biome-ignore lint/suspicious/noExplicitAny: replies of every structure, and nginx's own pages
      const body: any = text.startsWith("{") ? JSON.parse(text) : {};
      const cookies = response.headers.getSetCookie().map((set) => set.split(";")[0]);
      return { status: response.status, body, cookie: cookies.join("; ") };
    };
    /** Signs in at `site` with these headers; the session's cookie, or none. */
    const signIn = async (site: string, headers: Record<string, string>) => {
      const begun = await ask(site + newOauthState.path, headers);
      const cookie = [headers.cookie, begun.cookie].filter(Boolean).join("; ");
      const address = `${site + finishProxySignIn.path}?state=${begun.body.data}`;
      return ask(address, { ...headers, cookie });
    };

    test("a person who is signed in at the proxy is signed in here, and signed out with it", async () => {
      await expect.poll(() => gateway.process.output()).toContain("reverse proxies sign users in");
      const visit = await signIn(nginx.url, { cookie: "person=ada" });
      expect(visit.body).toMatchObject({ success: true, data: { username: "ada" } });
      const self = (person: string) =>
        ask(nginx.url + getSelf.path, {
          cookie: [person, visit.cookie].filter(Boolean).join("; "),
        });
      expect((await self("person=ada")).body.data.username).toBe("ada");
      expect((await self("")).status).toBe(401);
      expect((await self("person=bob")).body.code).toBe("not_logged_in");
      expect((await self("person=ada")).body.code).toBe("not_logged_in");
    });

    test("a header that the client sends is worth nothing, through the proxy and past it", async () => {
      const claimed = { "remote-user": "ada", cookie: "person=eve" };
      expect((await signIn(nginx.url, claimed)).body.data.username).toBe("eve");
      const direct = await signIn(gateway.url, { "remote-user": "ada", "proxy-secret": "a guess" });
      expect(direct.body.code).toBe("proxy_user_missing");
      await expect
        .poll(() => gateway.process.output())
        .toContain('"event":"proxy_sign_in","reason":"secret"');
    });

    test("programs reach /v1 with their keys, without a sign-in at the proxy", async () => {
      const { key } = await gateway.given.token();
      const reply = await ask(`${nginx.url}/v1/models`, { authorization: `Bearer ${key}` });
      expect(reply.status).toBe(200);
      expect(
        (await ask(`${nginx.url}/v1/models`, { "remote-user": "ada", "proxy-secret": secret }))
          .status,
      ).toBe(401);
    });
  });
